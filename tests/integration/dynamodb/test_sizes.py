"""Any number of messages and any size: atomic, whole, exact, and read without reading more than is asked for."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, MessageLog, StorageUnavailableError, ToolCall
from messagelog.dynamodb import DynamoDBStorage, default_client, segments
from messagelog.memory import MemoryStorage

from tests.support.faulty import Meanwhile, Ok, Unreachable
from tests.support.http_api import HttpApi, new_process
from tests.support.tables import Table

MANY = 5_000
VERY_MANY = 20_000


def numbered(first: int, last: int) -> list[AgentMessage]:
    return [AgentMessage("user", f"message number {number}") for number in range(first, last + 1)]


def noise(characters: int, alphabet: str) -> str:
    return "".join(random.Random(characters).choices(alphabet, k=characters))


CJK = "".join(map(chr, range(0x4E00, 0x9F00)))
EMOJI = "".join(map(chr, range(0x1F300, 0x1F600)))


def received(table: Table) -> list[int]:
    """The size of each reply to a Query from now on, in bytes as the messages came, by request."""
    sizes: list[int] = []

    def remember(parsed: dict[str, Any], **_: Any) -> None:
        sizes.append(sum(len(str(value)) for item in parsed["Items"] for value in item.values()))

    table.faulty.client.meta.events.register("after-call.dynamodb.Query", remember)
    return sizes


def test_a_batch_of_5000_is_one_and_whole(on_ministack: Table) -> None:
    log = on_ministack.log()
    log.add("user", "before")
    assert log.append_many(numbered(1, MANY)) == MANY + 1
    assert log.add("user", "behind") == MANY + 2
    contents = ["before", *(message.content for message in numbered(1, MANY)), "behind"]
    read = on_ministack.other().all()
    assert [message.content for message in read] == contents
    assert [message.seq for message in read] == list(range(1, MANY + 3))
    assert len({message.at for message in read[1:-1]}) == 1
    assert len(on_ministack.transactions()) == 3, "one transaction for the batch"


def test_nothing_of_a_batch_of_5000_shows_before_all_of_it(on_ministack: Table) -> None:
    """A reader looks just before each request of the append."""
    reader = on_ministack.other()
    seen: list[int] = []

    def look() -> None:
        seen.append(len(reader.all()))
        assert reader.count() == len(reader.last(MANY)) == seen[-1]

    for operation in ("PutItem", "TransactWriteItems"):
        on_ministack.faulty.script(operation, [Meanwhile(look)] * 10)
    on_ministack.log().append_many(numbered(1, MANY))
    assert len(seen) >= 2
    assert set(seen) == {0}
    assert len(reader.all()) == MANY


TEXTS = {
    "that shrinks": "All work and no play makes a long text. " * 75_000,
    "of three-byte characters": noise(1_000_000, CJK),
    "of four-byte characters": noise(750_000, EMOJI),
    "of control characters": '\x00\x1f\n"\\' * 200_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_message_of_3_mb_is_stored_whole(on_ministack: Table, text: str) -> None:
    log = on_ministack.log()
    log.append(AgentMessage("user", text))
    log.append_many([AgentMessage("assistant", "small"), AgentMessage("user", text), AgentMessage("user", "small")])
    other = on_ministack.other()
    assert [message.content for message in other.all()] == [text, "small", text, "small"]
    assert [message.content for message in other.last(2)] == [text, "small"]


def test_a_message_with_large_args_is_stored_whole(on_ministack: Table) -> None:
    args = {"rows": [[number, 1.0, "\u2028", None] for number in range(40_000)]}
    message = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "insert", args),))
    on_ministack.log().append(message)
    (stored,) = on_ministack.other().all()
    assert repr(stored.tool_calls) == repr(message.tool_calls)


def test_20000_messages_are_read_whole(on_ministack: Table, event: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all(), and over HTTP page by page with the real functions."""
    monkeypatch.setenv("MESSAGELOG_TABLE", on_ministack.name)
    new_process()
    api = HttpApi(event)
    log = on_ministack.log(api.conversation)
    text = "x" * 400
    for start in range(1, VERY_MANY, 4_000):
        log.append_many([AgentMessage("user", f"{number} {text}") for number in range(start, start + 4_000)])
    assert [message.seq for message in log.all()] == list(range(1, VERY_MANY + 1))
    first_page = api.get("all").json
    assert 0 < len(first_page["messages"]) < VERY_MANY
    numbers = [int(message["content"].split()[0]) for message in api.messages()]
    assert numbers == list(range(1, VERY_MANY + 1))
    new_process()


def test_the_end_of_a_batch_of_5000_is_read_without_the_batch(on_ministack: Table) -> None:
    """One request for the row that points at the segment, and one for a single block."""
    log = on_ministack.log()
    log.append_many([AgentMessage("user", f"{number} " + noise(500, CJK)) for number in range(MANY)])
    whole = received(on_ministack)
    log.all()
    for read in (
        lambda: log.last(20),
        lambda: log.all(after=MANY - 20),
        lambda: log.all(after=100, limit=20),
        lambda: log.last(),
    ):
        on_ministack.faulty.forget()
        sizes = received(on_ministack)
        read()
        assert on_ministack.faulty.operations == ["Query"] * 2
        assert sum(sizes) < sum(whole[: len(whole) - len(sizes)]) / 5


def test_a_window_in_a_log_of_20000_reads_about_what_it_returns(on_ministack: Table) -> None:
    log = on_ministack.log()
    log.append_many(numbered(1, VERY_MANY))
    log.append_many(numbered(11, 22))
    log.append_many(numbered(11, 22))
    on_ministack.faulty.forget()
    sizes = received(on_ministack)
    assert len(log.to_openai(last=20)) == 20
    assert len(log.window(max_tokens=60)) == 12
    assert on_ministack.faulty.operations == ["Query"] * 2
    assert sum(sizes) < 12_000
    assert len(log.window(last=50)) == 50
    assert sum(sizes) < 200_000


def test_a_newest_first_read_of_a_segment_goes_block_by_block(
    on_ministack: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "_BLOCK_BYTES", 1_000)
    log = on_ministack.log()
    log.append_many(numbered(1, 2_000))
    on_ministack.faulty.forget()
    reader = log.newest_first()
    assert [next(reader).seq for _ in range(10)] == list(range(2_000, 1_990, -1))
    assert len(on_ministack.faulty.operations) <= 3
    assert [message.seq for message in reader] == list(range(1_990, 0, -1))


def test_a_part_of_a_segment_that_was_deleted_is_an_error(on_moto: Table) -> None:
    """Nobody may take what is left for the log."""
    on_moto.log().append_many(numbered(1, 130))
    (part,) = (row for row in on_moto.rows() if row["entry"]["S"].startswith("seg#"))
    key = {name: part[name] for name in ("conversation", "entry")}
    default_client().delete_item(TableName=on_moto.name, Key=key)
    with pytest.raises(StorageUnavailableError, match="missing"):
        on_moto.log().all()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.sampled_from([1, 1, 2, 3, 98, 99, 120]), min_size=1, max_size=5),
    block=st.sampled_from([1, 300, 256 * 1024]),
    part=st.sampled_from([50, 350 * 1024]),
    data=st.data(),
)
def test_every_read_is_a_slice_of_all(
    on_moto: Table, table_definition: Any, sizes: Sequence[int], block: int, part: int, data: st.DataObject
) -> None:
    """Whatever lies in rows and whatever in segments, of whatever blocks."""
    client = default_client()
    client.delete_table(TableName=on_moto.name)  # moto copies all of it for each transaction
    client.create_table(**table_definition)
    log, model = on_moto.log(uuid4().hex), MessageLog(MemoryStorage())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_BLOCK_BYTES", block)
        patch.setattr(segments, "_PART_BYTES", part)
        for size in sizes:
            start = model.count() + 1
            batch = numbered(start, start + size - 1)
            assert log.append_many(batch) == model.append_many(batch)
    whole = contents(log.all())
    assert whole == contents(model.all())
    count = len(whole)
    for _ in range(8):
        after = data.draw(st.integers(0, count + 2))
        n = data.draw(st.integers(0, count + 2))
        assert contents(log.all(after=after, limit=n)) == whole[after : after + n]
        assert contents(log.all(after=after)) == whole[after:]
        assert contents(log.last(n)) == (whole[-n:] if n else [])
        assert contents(log.newest_first(n)) == whole[::-1][:n]
        assert contents(log.window(last=n, after=after)) == contents(model.window(last=n, after=after))
        assert contents(log.window(max_tokens=n)) == contents(model.window(max_tokens=n))
    assert contents(log.newest_first()) == whole[::-1]


def contents(messages: Any) -> list[tuple[int, str]]:
    return [(message.seq, message.content) for message in messages]


def test_what_a_crash_before_the_transaction_leaves_is_never_seen(on_moto: Table) -> None:
    """Parts without a row that points at them, some of them or all."""
    log = on_moto.log()
    log.add("user", "first")
    for puts in ([Unreachable()] * 99, [Ok(), *[Unreachable()] * 99]):
        on_moto.faulty.script("PutItem", puts)
        with pytest.raises(StorageUnavailableError):
            log.append_many([AgentMessage("user", noise(300_000, CJK))] * 2)
    assert any(row["entry"]["S"].startswith("seg#") for row in on_moto.rows())
    on_moto.faulty.script("PutItem", [])
    for reader in (log, on_moto.other()):
        assert [message.content for message in reader.all()] == ["first"]
        assert [message.content for message in reader.last(9)] == ["first"]
        assert reader.count() == 1
    assert log.append_many(numbered(1, 130)) == 131
    assert [message.seq for message in log.all()] == list(range(1, 132))


def test_a_segment_that_took_long_is_still_committed(on_moto: Table) -> None:
    """Its parts may take longer to write than the time for trying again: another writer may move on meanwhile."""
    log = on_moto.warm_log()

    def meanwhile() -> None:
        on_moto.clock.now += 10
        on_moto.other().add("user", "from another writer")

    on_moto.faulty.script("PutItem", [Meanwhile(meanwhile)])
    assert log.append_many(numbered(1, 130)) == 132
    assert len(log.all()) == 132


def test_content_is_stored_as_text_or_compressed_and_reads_give_it_back(on_moto: Table) -> None:
    """Write units are what DynamoDB bills: one for each begun 1 KB of an item, twice in a transaction."""
    texts = ["short", noise(1_500, "abc"), "shrinks " * 2_000, "漢字" * 3_000, noise(1_800, string.printable)]
    log = on_moto.log()
    for text in texts:
        log.add("user", text)
    assert [message.content for message in log.all()] == texts
    kinds = [next(iter(row["content"])) for row in on_moto.rows() if row["entry"]["S"].startswith("msg#")]
    assert kinds == ["S", "B", "B", "B", "S"]
    sent = [units(transaction.parameters["TransactItems"][1]["Put"]["Item"]) for transaction in on_moto.transactions()]
    assert sent == [1, 1, 1, 1, 2]


def units(item: dict[str, Any]) -> int:
    """The write units of an item as it is sent: bytes in base64 as the bytes that they are."""
    size = 0
    for name, value in item.items():
        ((kind, data),) = value.items()
        size += len(name) + (len(data) * 3 // 4 if kind == "B" else len(str(data).encode()))
    return -(-size // 1024)


def test_a_storage_without_a_limit_of_its_own_keeps_what_http_can_bring(on_moto: Table) -> None:
    """Six megabytes of the smallest messages, as one batch."""
    request = json.dumps({"messages": [{"role": "user", "content": ""}] * 1_000})
    batch = json.loads(request)["messages"]
    storage = DynamoDBStorage("c1", table=on_moto.name, client=default_client())
    assert MessageLog(storage).append_many(batch * 30) == 30_000
    assert len(MessageLog(storage).all()) == 30_000
