"""A Query is only read-committed against a transaction: no read shows a part of one.

"Amazon DynamoDB transactions: how it works" (isolation levels): a Query that runs while a transaction is being
committed may meet some of its rows and not the others. The table is put into such states by taking rows out of it. Each
read must then be the same read of the log as it was before the transaction, or as it is after it, and nothing between.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, combinations, product, repeat
from typing import TYPE_CHECKING, Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from messagelog import AgentMessage, MessageLog, StorageUnavailableError
from messagelog.dynamodb import DynamoDBStorage, Retry, default_client, keys
from messagelog.memory import MemoryStorage

from tests.support.faulty import Meanwhile, Ok, Outcome
from tests.support.tables import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Read = Callable[[MessageLog], Any]
Batches = Sequence[Sequence[AgentMessage]]

SEGMENT = 120  # messages that do not fit one transaction


def numbered(*sizes: int) -> Batches:
    """Batches of these sizes, of users' messages with the seqs they will have as their content."""
    ends = [sum(sizes[: index + 1]) for index in range(len(sizes))]
    return [
        [AgentMessage("user", f"m{seq}") for seq in range(end - size + 1, end + 1)]
        for size, end in zip(sizes, ends, strict=True)
    ]


def log_of(batches: Batches) -> MessageLog:
    """The log that these batches make, in memory."""
    log = MessageLog(MemoryStorage())
    for batch in batches:
        log.append_many(batch)
    return log


def what(messages: Any) -> Any:
    """What of a read can be compared between two logs: not the time."""
    if isinstance(messages, list):
        return [what(message) for message in messages]
    return (messages.seq, messages.content) if hasattr(messages, "seq") else messages


def reads_of(count: int) -> dict[str, Read]:
    """Every kind of read there is, with every number that could matter in a log of so many messages."""
    reads: dict[str, Read] = {
        "all()": lambda log: log.all(),
        "last()": lambda log: log.last(),
        "newest_first()": lambda log: list(log.newest_first()),
        "to_openai()": lambda log: log.to_openai(),
        "to_anthropic()": lambda log: log.to_anthropic(),
    }
    for number in range(1, count + 1):
        reads |= {
            f"all(after={number})": lambda log, n=number: log.all(after=n),  # type: ignore[misc]
            f"all(limit={number})": lambda log, n=number: log.all(limit=n),  # type: ignore[misc]
            f"all(after=2, limit={number})": lambda log, n=number: log.all(after=2, limit=n),  # type: ignore[misc]
            f"last({number})": lambda log, n=number: log.last(n),  # type: ignore[misc]
            f"window(last={number})": lambda log, n=number: log.window(last=n),  # type: ignore[misc]
            f"window(after={number}, max_tokens=9)": lambda log, n=number: log.window(after=n, max_tokens=9),  # type: ignore[misc]
        }
    return reads


def parts_of(seqs: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Some of these rows, but not all, in every way."""
    return chain.from_iterable(combinations(seqs, size) for size in range(1, len(seqs)))


@dataclass
class Rows:
    """Message rows of a conversation, taken out of the table and put back."""

    table: str
    client: DynamoDBClient
    hidden: list[dict[str, Any]] = field(default_factory=list)

    def hide(self, *seqs: int) -> None:
        self.heal()
        for seq in seqs:
            key = keys.key("c1", keys.message_entry(seq))
            taken = self.client.delete_item(TableName=self.table, Key=key, ReturnValues="ALL_OLD")
            self.hidden.append(taken["Attributes"])

    def heal(self) -> None:
        for item in self.hidden:
            self.client.put_item(TableName=self.table, Item=item)
        self.hidden.clear()


@pytest.fixture
def rows(on_moto: Table) -> Iterator[Rows]:
    rows = Rows(on_moto.name, default_client())
    yield rows
    rows.heal()


def impatient(table: Table) -> MessageLog:
    """The log, read with three tries."""
    retry = Retry(budget=0.035, random=lambda: 1 - 1e-9, clock=table.clock, sleep=table.clock.sleep, base=0.01)
    return MessageLog(DynamoDBStorage("c1", table=table.name, client=table.faulty.client, retry=retry))


def write(table: Table, batches: Batches) -> None:
    for batch in batches:
        table.log().append_many(batch)


def newest(batches: Batches) -> range:
    """The seqs of the last batch."""
    count = sum(map(len, batches))
    return range(count - len(batches[-1]) + 1, count + 1)


LAYOUTS = {
    "the first batch": numbered(3),
    "behind single messages": numbered(1, 1, 3),
    "behind a batch": numbered(1, 3, 3),
    "behind a segment": numbered(1, SEGMENT, 3),
}


@pytest.mark.parametrize("batches", LAYOUTS.values(), ids=LAYOUTS)
def test_a_batch_that_stays_incomplete_is_shown_whole_or_not_at_all(
    on_moto: Table, rows: Rows, batches: Batches
) -> None:
    write(on_moto, batches)
    before, after, log = log_of(batches[:-1]), log_of(batches), impatient(on_moto)
    seqs = newest(batches)
    reads = reads_of(min(after.count(), 5))
    for missing in parts_of(seqs):
        rows.hide(*missing)
        for name, read in reads.items():
            shown = what(read(log))
            assert shown in (what(read(before)), what(read(after))), f"{name} without {missing}"
        assert what(log.all()) == what(before.all()), f"without {missing}"


@pytest.mark.parametrize("batches", LAYOUTS.values(), ids=LAYOUTS)
def test_a_batch_is_shown_whole_once_it_is(on_moto: Table, rows: Rows, batches: Batches) -> None:
    write(on_moto, batches)
    after, log = log_of(batches), impatient(on_moto)
    seqs = newest(batches)
    for missing in ((seqs[0],), (seqs[1],), (seqs[-1],), tuple(seqs[1:])):
        for name, read in reads_of(4).items():
            if name.startswith("all(after=") and after.count() < 6:
                continue
            rows.hide(*missing)
            on_moto.faulty.script("Query", [Ok(), Meanwhile(rows.heal)])
            shown = what(read(log))
            if rows.hidden:  # one Query was enough, and showed what it was asked for
                assert shown in (what(read(log_of(batches[:-1]))), what(read(after))), f"{name} without {missing}"
            else:
                assert shown == what(read(after)), f"{name} without {missing}"


def test_a_reader_waits_for_what_is_being_committed(on_moto: Table, rows: Rows) -> None:
    """It reads again, at once and then pausing, and no longer than it must."""
    write(on_moto, numbered(2, 3))
    rows.hide(4)
    on_moto.faulty.forget()
    on_moto.faulty.script("Query", [Ok(), Ok(), Ok(), Meanwhile(rows.heal)])
    assert [message.seq for message in on_moto.log().all()] == [1, 2, 3, 4, 5]
    assert on_moto.faulty.operations == ["Query"] * 4
    assert len(on_moto.clock.pauses) == 2


def test_what_was_read_before_is_not_read_again(on_moto: Table, rows: Rows) -> None:
    write(on_moto, numbered(2, 3))
    rows.hide(4)
    on_moto.faulty.forget()
    on_moto.faulty.script("Query", [Ok(), Meanwhile(rows.heal)])
    assert [message.seq for message in on_moto.log().iter_all()] == [1, 2, 3, 4, 5]
    first = on_moto.faulty.sent("Query")[1].parameters["ExpressionAttributeValues"][":first"]
    assert first == {"S": keys.message_entry(3)}


@pytest.mark.parametrize(
    "batches", [numbered(1, 1, 1, 1, 1), numbered(1, 3, 1), numbered(1, 3, 2), numbered(1, 3, SEGMENT)]
)
def test_a_hole_in_the_middle_is_an_error_and_no_shorter_log(on_moto: Table, rows: Rows, batches: Batches) -> None:
    """A row that stays away although later transactions are there was lost: nobody may take the rest for the log."""
    write(on_moto, batches)
    after, log = log_of(batches), impatient(on_moto)
    for missing in ((2,), (3,), (4,), (2, 3), (2, 3, 4)):
        rows.hide(*missing)
        for name, read in reads_of(3).items():
            with suppress(StorageUnavailableError):
                assert what(read(log)) == what(read(after)), f"{name} without {missing}"
        for read in (MessageLog.all, lambda log: list(log.newest_first()), lambda log: log.last(after.count())):
            with pytest.raises(StorageUnavailableError, match="missing") as caught:
                read(log)
            assert (caught.value.is_of_the_stack, caught.value.code) == (True, "MessagesMissing")


def test_a_hole_that_closes_is_none(on_moto: Table, rows: Rows) -> None:
    batches = numbered(1, 3, 2)
    write(on_moto, batches)
    after = log_of(batches)
    for missing, (name, read) in product([(2,), (3,), (4,), (2, 3, 4)], reads_of(3).items()):
        rows.hide(*missing)
        on_moto.faulty.script("Query", [Ok(), Meanwhile(rows.heal)])
        assert what(read(impatient(on_moto))) == what(read(after)), f"{name} without {missing}"


@dataclass(frozen=True)
class Replica(Outcome):
    """Lacks these messages until it is read strongly."""

    rows: Rows
    missing: Sequence[int]

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        if json.loads(request.body or "{}")["ConsistentRead"]:
            self.rows.heal()
        else:
            self.rows.hide(*self.missing)
        return None


def test_a_replica_that_stays_behind_is_not_taken_for_damage(on_moto: Table, rows: Rows) -> None:
    batches = numbered(1, 3, 2)
    write(on_moto, batches)
    after = log_of(batches)
    for missing, read in product([(2,), (4,), (2, 3, 4)], (MessageLog.all, lambda log, **how: log.last(6, **how))):
        on_moto.faulty.script("Query", repeat(Replica(rows, missing)))
        assert what(read(impatient(on_moto), consistent=False)) == what(after.all()), f"without {missing}"


def test_a_segment_whose_parts_have_not_come_is_asked_for_again(on_moto: Table) -> None:
    """With `consistent=False` the row may be older news to a replica than the parts it points at: they are then read
    strongly."""
    write(on_moto, numbered(1, SEGMENT))
    client = default_client()
    parts = [item for item in on_moto.rows() if item["entry"]["S"].startswith("seg#")]
    assert parts
    for part in parts:
        client.delete_item(TableName=on_moto.name, Key={name: part[name] for name in ("conversation", "entry")})

    def arrive() -> None:
        for part in parts:
            client.put_item(TableName=on_moto.name, Item=part)

    on_moto.faulty.forget()
    on_moto.faulty.script("Query", [Ok(), Ok(), Meanwhile(arrive)])
    assert [message.seq for message in on_moto.log().all(consistent=False)] == list(range(1, SEGMENT + 2))
    assert [request.parameters["ConsistentRead"] for request in on_moto.faulty.requests] == [False, False, True]


def test_a_reader_has_patience_with_each_hole_anew(on_moto: Table, rows: Rows) -> None:
    """A slow reader of a busy log meets one in its way now and then; only one that stays is damage."""
    write(on_moto, numbered(1, 3, 1, 3, 1))
    reading = on_moto.log().iter_all()
    rows.hide(3)
    on_moto.faulty.script("Query", [Ok(), Meanwhile(rows.heal), Meanwhile(lambda: rows.hide(7)), Meanwhile(rows.heal)])
    seqs = []
    for message in reading:
        seqs.append(message.seq)
        on_moto.clock.now += on_moto.retry.budget
    assert seqs == list(range(1, 10))
