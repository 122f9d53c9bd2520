"""An append with an expected count: it happens only if the log holds exactly this number of messages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import pytest
from messagelog import (
    AgentMessage,
    ExpectedCountError,
    UnknownOutcomeError,
)
from messagelog.dynamodb import keys

from tests.support.faulty import LostReply, cancelled
from tests.support.logs import BATCHES, numbered
from tests.support.tables import Table


@pytest.mark.parametrize("messages", BATCHES.values(), ids=BATCHES)
def test_a_retry_with_an_expected_count_replays(on_moto: Table, messages: Sequence[AgentMessage]) -> None:
    """With a key and an expected count, the second try finds its own messages. That is a success, not a conflict."""
    log = on_moto.warm_log()
    seq = log.append_many(messages, expected_count=1, idempotency_key="k")
    for other in (log, on_moto.other()):
        assert other.append_many(messages, expected_count=1, idempotency_key="k") == seq
    assert log.count() == seq


def test_a_replay_needs_no_report_of_the_keys_condition(on_moto: Table) -> None:
    """A cancelled transaction need not name every failed condition. Then the key is looked up."""
    log = on_moto.log()
    assert log.append_many(numbered(1, 2), expected_count=0, idempotency_key="k") == 2
    head = {**keys.key("c1", keys.HEAD), "count": {"N": "2"}}
    on_moto.faulty.script(
        "TransactWriteItems", repeat(cancelled("ConditionalCheckFailed", "None", "None", "None", item=head))
    )
    assert log.append_many(numbered(1, 2), expected_count=0, idempotency_key="k") == 2
    with pytest.raises(ExpectedCountError):
        log.append_many(numbered(1, 2), expected_count=0, idempotency_key="other")


@pytest.mark.parametrize("messages", BATCHES.values(), ids=BATCHES)
def test_a_wrong_expected_count_reports_the_real_one(on_moto: Table, messages: Sequence[AgentMessage]) -> None:
    on_moto.warm_log().append_many(numbered(1, 4))
    rows = on_moto.rows()
    for wrong in (0, 4, 6, 10**12):
        for key in (None, "k"):
            for log in (on_moto.log(), on_moto.other()):
                with pytest.raises(ExpectedCountError) as raised:
                    log.append_many(messages, expected_count=wrong, idempotency_key=key)
                assert raised.value.count == 5
    assert on_moto.rows() == rows, "no key and no segment is written"


def test_an_expected_count_makes_an_append_safe_to_repeat(on_ministack: Table) -> None:
    on_ministack.faulty.script("TransactWriteItems", repeat(LostReply()))
    on_ministack.blind_after_a_write()
    with pytest.raises(UnknownOutcomeError):
        on_ministack.log().append_many(numbered(1, 2), expected_count=0)
    with pytest.raises(ExpectedCountError) as raised:
        on_ministack.other().append_many(numbered(1, 2), expected_count=0)
    assert raised.value.count == 2
