"""Appends that get no answer: the same transaction is sent again, and the append's own row tells the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import pytest
from messagelog import (
    AgentMessage,
    ExpectedCountError,
    MessageLog,
    StoredMessage,
    ThrottledError,
    UnknownOutcomeError,
)

from tests.support.faulty import (
    LostReply,
    LostRequest,
    Meanwhile,
    Ok,
    Outcome,
    cancelled,
    in_progress,
    refused,
    throttled,
)
from tests.support.logs import contents, failed
from tests.support.tables import Table

WRITE = "TransactWriteItems"
MOVED = cancelled("ConditionalCheckFailed", "None")


@pytest.mark.parametrize(
    "then",
    [Ok(), refused("AccessDeniedException"), throttled(), in_progress(), cancelled("TransactionConflict", "None")],
)
def test_an_append_with_a_lost_reply_finds_its_own_row(on_moto: Table, then: Outcome) -> None:
    """Moto ignores tokens. With `Ok`, the second try is new to it, as after a sleep of ten minutes."""
    log = on_moto.warm_log()
    on_moto.faulty.script(WRITE, [LostReply(), *[then] * 99])
    assert log.add("user", "second") == 2
    assert contents(on_moto.other()) == ["first", "second"]


def test_a_moved_counter_settles_a_lost_request(on_moto: Table) -> None:
    log, other = on_moto.warm_log(), on_moto.other()

    def overtaken() -> Iterator[Outcome]:
        yield LostRequest()
        other.add("user", "faster")
        yield from repeat(throttled())

    on_moto.faulty.script(WRITE, overtaken())
    assert type(failed(lambda: log.add("user", "second"))) is ThrottledError
    assert contents(on_moto.other()) == ["first", "faster"]


def test_a_lost_reply_doubles_nothing_after_another_append(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [LostReply(), Meanwhile(lambda: other.add("user", "faster"))])
    assert log.add("user", "second") == 2
    assert on_ministack.tokens() == ["a", "a"]
    assert contents(log) == ["first", "second", "faster"]
    assert log.add("user", "last") == 4


def test_a_lost_request_is_made_again_after_another_append(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [LostRequest(), Meanwhile(lambda: other.add("user", "faster"))])
    assert log.add("user", "second") == 3
    assert on_ministack.tokens() == ["a", "a", "b"]
    assert contents(log) == ["first", "faster", "second"]


def test_a_lost_reply_to_the_first_append_doubles_nothing(on_ministack: Table) -> None:
    log = on_ministack.log()
    on_ministack.faulty.script(WRITE, [LostReply(), in_progress(), cancelled(), Ok()])
    assert log.append_many([AgentMessage("user", "one"), AgentMessage("user", "two")]) == 2
    assert on_ministack.tokens() == ["a", "a", "a", "a"]
    assert contents(log) == ["one", "two"]


def test_a_transaction_that_is_sent_again_never_changes(on_ministack: Table) -> None:
    log = on_ministack.warm_log()
    on_ministack.faulty.script(WRITE, [*[LostRequest()] * 5, Ok()])
    log.add("user", "second")
    first, *others = on_ministack.transactions()
    assert len(others) == 5
    assert {request.body for request in others} == {first.body}


def test_on_append_is_not_called_for_an_unknown_outcome(on_ministack: Table) -> None:
    called: list[StoredMessage] = []
    log = MessageLog(on_ministack.storage(), called.append)
    on_ministack.faulty.script(WRITE, repeat(LostReply()))
    on_ministack.blind_after_a_write()
    assert type(failed(lambda: log.add("user", "first"))) is UnknownOutcomeError
    assert called == []


def test_on_append_is_called_once_after_several_tries(on_ministack: Table) -> None:
    called: list[StoredMessage] = []
    log = MessageLog(on_ministack.storage(), called.append)
    on_ministack.faulty.script(WRITE, [LostRequest(), throttled(), MOVED, LostReply(), Ok()])
    log.add("user", "first")
    assert called == log.all()
    assert len(called) == 1


def test_an_outdated_expected_count_reports_the_real_one(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [LostRequest(), Meanwhile(lambda: other.add("user", "faster"))])
    with pytest.raises(ExpectedCountError) as caught:
        log.append({"role": "user", "content": "second"}, expected_count=1)
    assert caught.value.count == 2
    assert contents(log) == ["first", "faster"]
