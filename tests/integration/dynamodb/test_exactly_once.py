"""The same idempotency key appends once: whoever tries again, and whatever became of the first try."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import pytest
from messagelog import (
    AgentMessage,
    ExpectedCountError,
    IdempotencyMismatchError,
    MessageLog,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)
from messagelog.dynamodb import default_client, keys

from tests.support.faulty import LostReply, LostRequest, Ok, Outcome, Unreachable, cancelled, throttled
from tests.support.tables import Table

DAY = 24 * 60 * 60
KEY = keys.key("c1", keys.idempotency_entry("k"))


def numbered(count: int, text: str = "m") -> list[AgentMessage]:
    return [AgentMessage("user", f"{text}{number}") for number in range(1, count + 1)]


SIZES = {
    "one": numbered(1),
    "a batch": numbered(3),
    "too many for a transaction": numbered(130),
    "too large for an item": [AgentMessage("user", "".join(map(chr, range(0x4E00, 0x9F00))) * 60 + str(1))],
}


def parts(table: Table) -> int:
    """How many parts of segments there are."""
    return sum(row["entry"]["S"].startswith("seg#") for row in table.rows())


@pytest.mark.parametrize("messages", SIZES.values(), ids=SIZES)
def test_the_same_key_and_content_gives_the_first_seq_and_writes_nothing(
    on_moto: Table, messages: Sequence[AgentMessage]
) -> None:
    log = on_moto.log()
    seq = log.append_many(messages, idempotency_key="k")
    log.add("user", "behind it")
    rows = on_moto.rows()
    for other in (log, on_moto.other(), on_moto.log()):
        assert other.append_many(messages, idempotency_key="k") == seq
    assert on_moto.rows() == rows


@pytest.mark.parametrize("messages", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("content", [numbered(1, "x"), numbered(2), numbered(130, "x")], ids=["one", "two", "many"])
def test_the_same_key_and_other_content_is_an_error(
    on_moto: Table, messages: Sequence[AgentMessage], content: Sequence[AgentMessage]
) -> None:
    on_moto.log().append_many(messages, idempotency_key="k")
    rows = on_moto.rows()
    for other in (on_moto.log(), on_moto.other()):
        with pytest.raises(IdempotencyMismatchError):
            other.append_many(content, idempotency_key="k")
    assert on_moto.rows() == rows


def test_every_append_shares_the_keys_of_the_conversation(on_moto: Table) -> None:
    log = on_moto.log()
    message = AgentMessage("user", "hi")
    assert log.add("user", "hi", idempotency_key="k") == 1
    assert log.append(message, idempotency_key="k") == 1
    assert log.append({"role": "user", "content": "hi"}, idempotency_key="k") == 1
    assert log.append_many([message], idempotency_key="k") == 1
    assert log.count() == 1


def test_what_a_replay_costs(on_moto: Table) -> None:
    """One transaction that fails; for what does not fit one, a single read, and no part of a segment is written."""
    log = on_moto.log()
    log.append_many(numbered(2), idempotency_key="k")
    log.append_many(numbered(130), idempotency_key="long")
    on_moto.faulty.forget()
    log.append_many(numbered(2), idempotency_key="k")
    log.append_many(numbered(130), idempotency_key="long")
    assert on_moto.faulty.operations == ["TransactWriteItems", "GetItem"]


def test_a_replay_tells_nobody_of_messages_that_were_told_before(on_moto: Table) -> None:
    told: list[int] = []
    log = MessageLog(on_moto.storage(), lambda message: told.append(message.seq))
    for _ in range(3):
        log.append_many(numbered(2), idempotency_key="k")
    assert told == [1, 2]


@pytest.mark.parametrize("messages", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("fault", [LostReply(), LostRequest()], ids=["reply", "request"])
def test_a_lost_first_try_is_done_once_by_the_same_append(
    on_ministack: Table, messages: Sequence[AgentMessage], fault: Any
) -> None:
    on_ministack.faulty.script("TransactWriteItems", [fault, fault, Ok()])
    assert on_ministack.log().append_many(messages, idempotency_key="k") == len(messages)
    assert len(on_ministack.other().all()) == len(messages)


@pytest.mark.parametrize("messages", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("written", [True, False], ids=["it was written", "it was not"])
def test_a_lost_first_try_is_done_once_by_another_process(
    on_ministack: Table, messages: Sequence[AgentMessage], written: bool
) -> None:
    on_ministack.faulty.script("TransactWriteItems", repeat(LostReply() if written else LostRequest()))
    on_ministack.blind_after_a_write()
    with pytest.raises(UnknownOutcomeError):
        on_ministack.log().append_many(messages, idempotency_key="k")
    rows = on_ministack.rows()
    for _ in range(2):
        assert on_ministack.other().append_many(messages, idempotency_key="k") == len(messages)
    assert on_ministack.other().count() == len(messages)
    assert not written or on_ministack.rows() == rows, "and leaves no second segment behind"


def test_the_log_may_have_grown_before_the_second_try(on_ministack: Table) -> None:
    on_ministack.faulty.script("TransactWriteItems", repeat(LostReply()))
    on_ministack.blind_after_a_write()
    with pytest.raises(UnknownOutcomeError):
        on_ministack.log().append_many(numbered(2), idempotency_key="k")
    other = on_ministack.other()
    other.append_many(numbered(5))
    assert other.append_many(numbered(2), idempotency_key="k") == 2
    assert other.count() == 7


def test_a_key_commits_with_its_messages_or_not_at_all(on_moto: Table) -> None:
    """A try that surely wrote nothing leaves no key that would pass for it."""
    on_moto.faulty.script("TransactWriteItems", repeat(Unreachable()))
    with pytest.raises(StorageUnavailableError):
        on_moto.log().append_many(numbered(2), idempotency_key="k")
    assert on_moto.rows() == []
    assert on_moto.other().append_many(numbered(3), idempotency_key="k") == 3


@pytest.mark.parametrize("size", ["too many for a transaction", "too large for an item"])
def test_the_same_append_that_comes_in_between_is_not_taken_for_another_writer(on_moto: Table, size: str) -> None:
    """Who is told that the log has moved on would append once more. The key is looked for first, then the count."""
    messages, twin = SIZES[size], on_moto.other()

    def overtaken() -> Iterator[Outcome]:
        yield Ok()
        twin.append_many(messages, expected_count=0, idempotency_key="k")
        yield from repeat(Ok())

    on_moto.faulty.script("GetItem", overtaken())
    assert on_moto.log().append_many(messages, expected_count=0, idempotency_key="k") == len(messages)
    assert on_moto.other().count() == len(messages)


def test_a_key_is_kept_for_a_day_at_least_though_clocks_differ_by_one(on_moto: Table) -> None:
    before = time.time()
    on_moto.log().append_many(numbered(1), idempotency_key="k")
    item = default_client().get_item(TableName=on_moto.name, Key=KEY)["Item"]
    assert int(item["expires_at"]["N"]) >= before + 2 * DAY


@pytest.mark.parametrize("messages", SIZES.values(), ids=SIZES)
def test_a_key_whose_time_is_over_can_be_used_again_though_it_is_still_there(
    on_moto: Table, messages: Sequence[AgentMessage]
) -> None:
    """DynamoDB deletes expired items "within a few days" ("Using time to live (TTL) in DynamoDB")."""
    on_moto.log().append_many(numbered(2), idempotency_key="k")
    expire(on_moto, "k", int(time.time()) - 10)
    assert on_moto.other().append_many(messages, idempotency_key="k") == 2 + len(messages)
    assert on_moto.log().append_many(messages, idempotency_key="k") == 2 + len(messages), "it is a key like any other"
    with pytest.raises(IdempotencyMismatchError):
        on_moto.log().append_many(numbered(2), idempotency_key="k")


def test_a_key_whose_time_is_not_over_cannot(on_moto: Table) -> None:
    on_moto.log().append_many(numbered(2), idempotency_key="k")
    expire(on_moto, "k", int(time.time()) + 60)
    assert on_moto.log().append_many(numbered(2), idempotency_key="k") == 2


def expire(table: Table, key: str, at: int) -> None:
    default_client().update_item(
        TableName=table.name,
        Key=keys.key("c1", keys.idempotency_entry(key)),
        UpdateExpression="SET expires_at = :at",
        ExpressionAttributeValues={":at": {"N": str(at)}},
    )


@pytest.mark.parametrize("messages", SIZES.values(), ids=SIZES)
def test_a_retry_of_what_was_done_is_no_conflict_with_itself(on_moto: Table, messages: Sequence[AgentMessage]) -> None:
    """With a key and an expected count, the second try finds its own messages there: that is success."""
    log = on_moto.warm_log()
    seq = log.append_many(messages, expected_count=1, idempotency_key="k")
    for other in (log, on_moto.other()):
        assert other.append_many(messages, expected_count=1, idempotency_key="k") == seq
    assert log.count() == seq


def test_a_retry_is_none_too_if_dynamodb_reports_the_count_alone(on_moto: Table) -> None:
    """A cancelled transaction need not name every condition that failed: the key is then looked up."""
    log = on_moto.log()
    assert log.append_many(numbered(2), expected_count=0, idempotency_key="k") == 2
    head = {**keys.key("c1", keys.HEAD), "count": {"N": "2"}}
    on_moto.faulty.script(
        "TransactWriteItems", repeat(cancelled("ConditionalCheckFailed", "None", "None", "None", item=head))
    )
    assert log.append_many(numbered(2), expected_count=0, idempotency_key="k") == 2
    with pytest.raises(ExpectedCountError):
        log.append_many(numbered(2), expected_count=0, idempotency_key="other")


@pytest.mark.parametrize("messages", SIZES.values(), ids=SIZES)
def test_an_expected_count_is_told_the_real_one_and_nothing_is_written(
    on_moto: Table, messages: Sequence[AgentMessage]
) -> None:
    on_moto.warm_log().append_many(numbered(4))
    rows = on_moto.rows()
    for wrong in (0, 4, 6, 10**12):
        for key in (None, "k"):
            for log in (on_moto.log(), on_moto.other()):
                with pytest.raises(ExpectedCountError) as raised:
                    log.append_many(messages, expected_count=wrong, idempotency_key=key)
                assert raised.value.count == 5
    assert on_moto.rows() == rows, "no key, no segment"


def test_an_expected_count_also_makes_an_append_safe_to_repeat(on_ministack: Table) -> None:
    on_ministack.faulty.script("TransactWriteItems", repeat(LostReply()))
    on_ministack.blind_after_a_write()
    with pytest.raises(UnknownOutcomeError):
        on_ministack.log().append_many(numbered(2), expected_count=0)
    with pytest.raises(ExpectedCountError) as raised:
        on_ministack.other().append_many(numbered(2), expected_count=0)
    assert raised.value.count == 2


def test_a_segment_whose_transaction_failed_stays_unseen_and_the_log_goes_on(on_ministack: Table) -> None:
    """A crash between the parts and the transaction is the same."""
    on_ministack.log().add("user", "first")
    for fault in (Unreachable(), LostRequest(), throttled()):
        on_ministack.faulty.script("TransactWriteItems", repeat(fault))
        with pytest.raises((UnknownOutcomeError, StorageUnavailableError, ThrottledError)):
            on_ministack.log().append_many(numbered(130), idempotency_key="k")
    assert parts(on_ministack) == 3
    other = on_ministack.other()
    assert [message.seq for message in other.all()] == [1]
    assert other.last(5) == other.all()
    assert other.append_many(numbered(130), idempotency_key="k") == 131
    assert other.add("user", "last") == 132
    assert [message.seq for message in other.all()] == list(range(1, 133))
