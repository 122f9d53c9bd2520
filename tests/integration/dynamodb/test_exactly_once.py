"""An idempotency key appends once, from any process and after any outcome of the first try."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import pytest
from messagelog import (
    AgentMessage,
    IdempotencyMismatchError,
    MessageLog,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)
from messagelog.dynamodb import default_client, keys

from tests.support.faulty import LostReply, LostRequest, Ok, Outcome, Unreachable, throttled
from tests.support.logs import BATCHES, numbered
from tests.support.tables import Table

DAY = 24 * 60 * 60
KEY = keys.key("c1", keys.idempotency_entry("k"))
OTHERS = {"one": numbered(501, 501), "two": numbered(1, 2), "many": numbered(501, 630)}


def parts(table: Table) -> int:
    """The number of segment parts in the table."""
    return sum(row["entry"]["S"].startswith("seg#") for row in table.rows())


@pytest.mark.parametrize("messages", BATCHES.values(), ids=BATCHES)
def test_a_repeated_append_writes_nothing_and_keeps_its_seq(on_moto: Table, messages: Sequence[AgentMessage]) -> None:
    log = on_moto.log()
    seq = log.append_many(messages, idempotency_key="k")
    log.add("user", "after it")
    rows = on_moto.rows()
    for other in (log, on_moto.other(), on_moto.log()):
        assert other.append_many(messages, idempotency_key="k") == seq
    assert on_moto.rows() == rows


@pytest.mark.parametrize("messages", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("content", OTHERS.values(), ids=OTHERS)
def test_the_same_key_and_other_content_is_an_error(
    on_moto: Table, messages: Sequence[AgentMessage], content: Sequence[AgentMessage]
) -> None:
    on_moto.log().append_many(messages, idempotency_key="k")
    rows = on_moto.rows()
    for other in (on_moto.log(), on_moto.other()):
        with pytest.raises(IdempotencyMismatchError):
            other.append_many(content, idempotency_key="k")
    assert on_moto.rows() == rows


def test_all_operations_share_the_keys_of_a_conversation(on_moto: Table) -> None:
    log = on_moto.log()
    message = AgentMessage("user", "hi")
    assert log.add("user", "hi", idempotency_key="k") == 1
    assert log.append(message, idempotency_key="k") == 1
    assert log.append({"role": "user", "content": "hi"}, idempotency_key="k") == 1
    assert log.append_many([message], idempotency_key="k") == 1
    assert log.count() == 1


def test_a_replay_costs_one_request(on_moto: Table) -> None:
    """A failed transaction, or one read for a batch that does not fit a transaction. No segment part is written."""
    log = on_moto.log()
    log.append_many(numbered(1, 2), idempotency_key="k")
    log.append_many(numbered(1, 130), idempotency_key="long")
    on_moto.faulty.forget()
    log.append_many(numbered(1, 2), idempotency_key="k")
    log.append_many(numbered(1, 130), idempotency_key="long")
    assert on_moto.faulty.operations == ["TransactWriteItems", "GetItem"]


def test_on_append_is_not_called_for_a_replay(on_moto: Table) -> None:
    called: list[int] = []
    log = MessageLog(on_moto.storage(), lambda message: called.append(message.seq))
    for _ in range(3):
        log.append_many(numbered(1, 2), idempotency_key="k")
    assert called == [1, 2]


@pytest.mark.parametrize("messages", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("fault", [LostReply(), LostRequest()], ids=["reply", "request"])
def test_the_same_append_repeats_a_lost_try_once(
    on_ministack: Table, messages: Sequence[AgentMessage], fault: Any
) -> None:
    on_ministack.faulty.script("TransactWriteItems", [fault, fault, Ok()])
    assert on_ministack.log().append_many(messages, idempotency_key="k") == len(messages)
    assert len(on_ministack.other().all()) == len(messages)


@pytest.mark.parametrize("messages", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("written", [True, False], ids=["it was written", "it was not"])
def test_another_process_repeats_a_lost_try_once(
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
    assert not written or on_ministack.rows() == rows, "no second segment is written"


def test_a_retry_may_come_after_other_appends(on_ministack: Table) -> None:
    on_ministack.faulty.script("TransactWriteItems", repeat(LostReply()))
    on_ministack.blind_after_a_write()
    with pytest.raises(UnknownOutcomeError):
        on_ministack.log().append_many(numbered(1, 2), idempotency_key="k")
    other = on_ministack.other()
    other.append_many(numbered(1, 5))
    assert other.append_many(numbered(1, 2), idempotency_key="k") == 2
    assert other.count() == 7


def test_a_key_commits_with_its_messages_or_not_at_all(on_moto: Table) -> None:
    """A try that wrote nothing leaves no key. Otherwise the key would replay an append that never happened."""
    on_moto.faulty.script("TransactWriteItems", repeat(Unreachable()))
    with pytest.raises(StorageUnavailableError):
        on_moto.log().append_many(numbered(1, 2), idempotency_key="k")
    assert on_moto.rows() == []
    assert on_moto.other().append_many(numbered(1, 3), idempotency_key="k") == 3


@pytest.mark.parametrize("size", ["too many for a transaction", "too large for an item"])
def test_the_same_append_in_between_counts_as_a_replay(on_moto: Table, size: str) -> None:
    """A caller that gets ExpectedCountError would append again. So the key is looked up first."""
    messages, twin = BATCHES[size], on_moto.other()

    def overtaken() -> Iterator[Outcome]:
        yield Ok()
        twin.append_many(messages, expected_count=0, idempotency_key="k")
        yield from repeat(Ok())

    on_moto.faulty.script("GetItem", overtaken())
    assert on_moto.log().append_many(messages, expected_count=0, idempotency_key="k") == len(messages)
    assert on_moto.other().count() == len(messages)


def test_a_key_is_kept_for_a_day_although_clocks_differ(on_moto: Table) -> None:
    before = time.time()
    on_moto.log().append_many(numbered(1, 1), idempotency_key="k")
    item = default_client().get_item(TableName=on_moto.name, Key=KEY)["Item"]
    assert int(item["expires_at"]["N"]) >= before + 2 * DAY


@pytest.mark.parametrize("messages", BATCHES.values(), ids=BATCHES)
def test_an_expired_key_can_be_used_before_it_is_deleted(on_moto: Table, messages: Sequence[AgentMessage]) -> None:
    """DynamoDB deletes expired items "within a few days" ("Using time to live (TTL) in DynamoDB")."""
    on_moto.log().append_many(numbered(1, 2), idempotency_key="k")
    expire(on_moto, "k", int(time.time()) - 10)
    assert on_moto.other().append_many(messages, idempotency_key="k") == 2 + len(messages)
    assert on_moto.log().append_many(messages, idempotency_key="k") == 2 + len(messages), "the new key is valid"
    with pytest.raises(IdempotencyMismatchError):
        on_moto.log().append_many(numbered(1, 2), idempotency_key="k")


def test_a_key_that_has_not_expired_replays_its_append(on_moto: Table) -> None:
    on_moto.log().append_many(numbered(1, 2), idempotency_key="k")
    expire(on_moto, "k", int(time.time()) + 60)
    assert on_moto.log().append_many(numbered(1, 2), idempotency_key="k") == 2


def expire(table: Table, key: str, at: int) -> None:
    default_client().update_item(
        TableName=table.name,
        Key=keys.key("c1", keys.idempotency_entry(key)),
        UpdateExpression="SET expires_at = :at",
        ExpressionAttributeValues={":at": {"N": str(at)}},
    )


def test_a_segment_without_its_transaction_is_never_seen(on_ministack: Table) -> None:
    """A crash between the parts and the transaction leaves the same items."""
    on_ministack.log().add("user", "first")
    for fault in (Unreachable(), LostRequest(), throttled()):
        on_ministack.faulty.script("TransactWriteItems", repeat(fault))
        with pytest.raises((UnknownOutcomeError, StorageUnavailableError, ThrottledError)):
            on_ministack.log().append_many(numbered(1, 130), idempotency_key="k")
    assert parts(on_ministack) == 3
    other = on_ministack.other()
    assert [message.seq for message in other.all()] == [1]
    assert other.last(5) == other.all()
    assert other.append_many(numbered(1, 130), idempotency_key="k") == 131
    assert other.add("user", "last") == 132
    assert [message.seq for message in other.all()] == list(range(1, 133))
