"""Public bug reports about order. Each test names its sources, and asserts the right behaviour."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from messagelog import StorageUnavailableError, StoredMessage, codec
from messagelog.dynamodb import items

from tests.support.faulty import cancelled
from tests.support.tables import Table


def test_seqs_are_ordered_as_numbers(on_moto: Table) -> None:
    """https://github.com/thenativeweb/node-eventstore/pull/115, https://github.com/fugue/credstash/issues/51"""
    log = on_moto.log()
    for number in range(1, 13):
        log.add("user", f"m{number}")
    assert [(m.seq, m.content) for m in log.all()] == [(number, f"m{number}") for number in range(1, 13)]
    last = log.last()
    assert last is not None
    assert last.content == "m12"
    assert [message.content for message in log.last(3)] == ["m10", "m11", "m12"]
    assert on_moto.other().add("user", "m13") == 13
    assert [message.seq for message in log.all()] == list(range(1, 14))


def test_times_have_six_digits_also_at_a_whole_second() -> None:
    """https://github.com/python/cpython/issues/84257, https://github.com/aws/aws-sdk-java-v2/issues/2219"""
    first, second = (
        codec.to_json(StoredMessage(role="user", content="", seq=1, at=datetime(2026, 3, 1, 12, 0, 0, micros, UTC)))
        for micros in (0, 1)
    )
    assert first["at"] == "2026-03-01T12:00:00.000000Z"
    assert second["at"] == "2026-03-01T12:00:00.000001Z"
    assert first["at"] < second["at"]


def test_messages_are_ordered_by_seq_not_by_time(on_moto: Table) -> None:
    """https://github.com/python/cpython/issues/84257, https://github.com/aws/aws-sdk-java-v2/issues/2219"""
    log = on_moto.log()
    log.add("user", "first")
    log.add("user", "second")
    key = {"conversation": {"S": "c1"}, "entry": {"S": "msg#000000000001"}}
    later = {":at": {"N": str(items.micros(datetime(2999, 1, 1, tzinfo=UTC)))}}
    on_moto.faulty.client.update_item(
        TableName=on_moto.name,
        Key=key,
        UpdateExpression="SET #at = :at",
        ExpressionAttributeNames={"#at": "at"},
        ExpressionAttributeValues=later,
    )
    assert [(m.seq, m.content) for m in on_moto.other().all()] == [(1, "first"), (2, "second")]


def test_failed_appends_and_warm_processes_leave_no_gap(on_moto: Table) -> None:
    """https://github.com/lvlup-sw/exarchos/pull/918, https://github.com/JasperFx/marten/issues/4765"""
    process_a, process_b = on_moto.other(), on_moto.log()
    assert process_a.add("user", "a1") == 1
    assert process_b.add("user", "b1") == 2
    assert process_a.add("user", "a2") == 3
    on_moto.faulty.script("TransactWriteItems", [cancelled("None", "ValidationError")])
    with pytest.raises(StorageUnavailableError):
        process_b.add("user", "lost")
    assert process_b.add("user", "b2") == 4
    assert [(m.seq, m.content) for m in process_a.all()] == [(1, "a1"), (2, "b1"), (3, "a2"), (4, "b2")]
    assert process_a.count() == 4
