"""What an append does when DynamoDB fails: nothing lost, nothing twice, and an error that says what is known.

Faults are those of "Error handling with DynamoDB" and "TransactWriteItems". Where it matters that a client token makes
a transaction safe to send again, the test runs on MiniStack, which honours tokens as DynamoDB does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import repeat

import pytest
from botocore.exceptions import ChecksumError
from messagelog import (
    AgentMessage,
    ConflictError,
    ExpectedCountError,
    MessageLog,
    MessageLogError,
    OnAppendError,
    StorageUnavailableError,
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
    Unreachable,
    cancelled,
    in_progress,
    refused,
    server_error,
    throttled,
)
from tests.support.tables import Table

WRITE = "TransactWriteItems"
SECRET = "the-users-own-words"
HEAD = {"conversation": {"S": "c1"}, "entry": {"S": "head"}, "count": {"N": "1"}}
MOVED = cancelled("ConditionalCheckFailed", "None")
MOVED_WITH_COUNT = cancelled("ConditionalCheckFailed", "None", item=HEAD)


class CorruptReply(Outcome):
    """Done, and answered by what is not what DynamoDB sent."""

    def receive(self) -> None:
        raise ChecksumError(checksum_type="crc32", expected_checksum=1, actual_checksum=2)


def contents(log: MessageLog) -> list[str]:
    messages = log.all()
    assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
    return [message.content for message in messages]


def failed(write: Callable[[], object]) -> MessageLogError:
    with pytest.raises(MessageLogError) as caught:
        write()
    return caught.value


PASSING = [
    pytest.param(Unreachable(), ["a", "a"], id="no connection"),
    pytest.param(LostRequest(), ["a", "a"], id="lost request"),
    pytest.param(LostReply(), ["a", "a"], id="lost reply"),
    pytest.param(throttled(), ["a", "a"], id="throttled"),
    pytest.param(throttled("ProvisionedThroughputExceededException"), ["a", "a"], id="over the table's throughput"),
    pytest.param(refused("InvalidSignatureException"), ["a", "a"], id="signed too long ago"),
    pytest.param(server_error(), ["a", "a"], id="500"),
    pytest.param(server_error(503), ["a", "a"], id="503"),
    pytest.param(in_progress(), ["a", "a"], id="still going on"),
    pytest.param(refused("TransactionConflictException"), ["a", "b"], id="conflict"),
    pytest.param(cancelled("TransactionConflict", "None"), ["a", "b"], id="cancelled by a conflict"),
    pytest.param(cancelled("None", "ThrottlingError"), ["a", "a"], id="cancelled by throttling"),
    pytest.param(cancelled(), ["a", "b"], id="cancelled for no reason told"),
    pytest.param(CorruptReply(), ["a", "a"], id="corrupt reply"),
    pytest.param(MOVED, ["a", "b"], id="counter moved"),
    pytest.param(MOVED_WITH_COUNT, ["a", "b"], id="counter moved, with the count"),
]


@pytest.mark.parametrize(("fault", "tokens"), PASSING)
def test_a_passing_fault_is_got_over(on_ministack: Table, fault: Outcome, tokens: list[str]) -> None:
    """The same transaction is sent again, byte for byte; a new one only where it surely failed on another's account."""
    log = on_ministack.warm_log()
    on_ministack.faulty.script(WRITE, [fault, Ok()])
    assert log.add("user", "second") == 2
    assert on_ministack.tokens() == tokens
    told_the_count = fault in (MOVED, MOVED_WITH_COUNT)
    assert len(on_ministack.clock.pauses) == (0 if told_the_count else 1)
    assert contents(on_ministack.other()) == ["first", "second"]


def test_after_a_conflict_the_count_is_read_anew(on_ministack: Table) -> None:
    """Whoever was in the way has most likely moved it: a read costs an eighth of a transaction that fails for it."""
    log = on_ministack.warm_log()
    other = on_ministack.other()
    conflict = cancelled("TransactionConflict", "None")

    def overtaken() -> Iterator[Outcome]:
        other.add("user", "theirs")
        yield conflict
        yield Ok()

    on_ministack.faulty.script(WRITE, overtaken())
    assert log.add("user", "mine") == 3
    assert [request.operation for request in on_ministack.faulty.sent()] == [WRITE, "GetItem", WRITE]


@pytest.mark.parametrize("fault", [pytest.param(case.values[0], id=case.id) for case in PASSING])
def test_a_passing_fault_that_stays_ends_with_the_budget(on_ministack: Table, fault: Outcome) -> None:
    log = on_ministack.warm_log()
    on_ministack.faulty.script(WRITE, repeat(fault))
    with suppress(MessageLogError):
        log.add("user", "second")
    assert 5 < len(on_ministack.transactions()) < 100
    assert sum(on_ministack.clock.pauses) <= on_ministack.retry.budget


@pytest.mark.parametrize(
    ("fault", "kind", "written"),
    [
        (Unreachable(), StorageUnavailableError, False),
        (LostRequest(), UnknownOutcomeError, False),
        (LostReply(), UnknownOutcomeError, True),
        (CorruptReply(), UnknownOutcomeError, True),
        (refused("InvalidSignatureException"), StorageUnavailableError, False),
        (throttled(), ThrottledError, False),
        (cancelled("None", "ThrottlingError"), ThrottledError, False),
        (server_error(), UnknownOutcomeError, False),
        (in_progress(), UnknownOutcomeError, False),
        (refused("TransactionConflictException"), ConflictError, False),
        (cancelled("TransactionConflict", "None"), ConflictError, False),
        (MOVED, ConflictError, False),
        (MOVED_WITH_COUNT, ConflictError, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Outcome) else None,
)
def test_the_error_that_is_left_says_what_is_known(
    on_ministack: Table, fault: Outcome, kind: type[MessageLogError], *, written: bool
) -> None:
    log = on_ministack.warm_log()
    on_ministack.faulty.script(WRITE, repeat(fault))
    if kind is UnknownOutcomeError:
        on_ministack.faulty.script("GetItem", repeat(Unreachable()))
    error = failed(lambda: log.add("user", SECRET))
    assert type(error) is kind
    assert SECRET not in f"{error!r} {error} {error.__cause__!r}"
    on_ministack.faulty.script(WRITE, [])
    on_ministack.faulty.script("GetItem", [])
    assert contents(log) == (["first", SECRET] if written else ["first"])
    on_ministack.faulty.forget()
    assert log.add("user", "next") == (3 if written else 2)
    assert on_ministack.faulty.operations == ["GetItem", WRITE]


@pytest.mark.parametrize(
    "fault",
    [
        refused("AccessDeniedException"),
        refused("ResourceNotFoundException"),
        refused("ValidationException"),
        cancelled("None", "ValidationError"),
        cancelled("ConditionalCheckFailed", "ValidationError"),
        cancelled("ThrottlingError", "ItemCollectionSizeLimitExceeded"),
        cancelled("None", "ConditionalCheckFailed"),
    ],
    ids=lambda fault: str(fault.body.get("CancellationReasons", fault.body["__type"])),
)
def test_a_request_that_can_only_fail_again_is_sent_once(on_moto: Table, fault: Outcome) -> None:
    log = on_moto.warm_log()
    on_moto.faulty.script(WRITE, repeat(fault))
    error = failed(lambda: log.add("user", SECRET))
    assert type(error) is StorageUnavailableError
    assert SECRET not in f"{error!r} {error}"
    assert on_moto.faulty.operations == [WRITE]
    assert on_moto.clock.pauses == []
    on_moto.faulty.script(WRITE, [])
    assert log.add("user", "next") == 2


@pytest.mark.parametrize(
    ("faults", "kind"),
    [
        ([LostReply(), refused("AccessDeniedException")], UnknownOutcomeError),
        ([LostRequest(), cancelled("None", "ValidationError")], UnknownOutcomeError),
        ([server_error(), *[throttled()] * 99], UnknownOutcomeError),
        ([in_progress(), *[Unreachable()] * 99], UnknownOutcomeError),
        ([LostReply(), *[refused("TransactionConflictException")] * 99], UnknownOutcomeError),
        ([LostReply(), *[cancelled()] * 99], UnknownOutcomeError),
        ([Unreachable(), throttled(), refused("AccessDeniedException")], StorageUnavailableError),
        ([Unreachable(), *[throttled()] * 99], ThrottledError),
        ([LostRequest(), MOVED_WITH_COUNT, refused("AccessDeniedException")], StorageUnavailableError),
        ([LostRequest(), MOVED_WITH_COUNT, *[throttled()] * 99], ThrottledError),
        ([LostRequest(), MOVED_WITH_COUNT, LostRequest(), *[throttled()] * 99], UnknownOutcomeError),
    ],
)
def test_an_outcome_is_unknown_while_the_table_cannot_tell(
    on_moto: Table, faults: list[Outcome], kind: type[MessageLogError]
) -> None:
    log = on_moto.warm_log()
    on_moto.faulty.script(WRITE, faults)
    if kind is UnknownOutcomeError:
        on_moto.faulty.script("GetItem", repeat(Unreachable()))
    assert type(failed(lambda: log.add("user", "second"))) is kind


@pytest.mark.parametrize(
    "then",
    [Ok(), refused("AccessDeniedException"), throttled(), in_progress(), cancelled("TransactionConflict", "None")],
)
def test_an_append_that_lost_its_reply_finds_its_own_row(on_moto: Table, then: Outcome) -> None:
    """Moto knows no tokens: with `Ok`, the second try is new to it, as after a sleep of ten minutes."""
    log = on_moto.warm_log()
    on_moto.faulty.script(WRITE, [LostReply(), *[then] * 99])
    assert log.add("user", "second") == 2
    assert contents(on_moto.other()) == ["first", "second"]


def test_a_lost_request_is_known_once_the_counter_has_passed(on_moto: Table) -> None:
    log, other = on_moto.warm_log(), on_moto.other()

    def overtaken() -> Iterator[Outcome]:
        yield LostRequest()
        other.add("user", "faster")
        yield from repeat(throttled())

    on_moto.faulty.script(WRITE, overtaken())
    assert type(failed(lambda: log.add("user", "second"))) is ThrottledError
    assert contents(on_moto.other()) == ["first", "faster"]


def test_a_transaction_whose_reply_was_lost_is_answered_though_the_counter_has_moved_on(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [LostReply(), Meanwhile(lambda: other.add("user", "faster"))])
    assert log.add("user", "second") == 2
    assert on_ministack.tokens() == ["a", "a"]
    assert contents(log) == ["first", "second", "faster"]
    assert log.add("user", "last") == 4


def test_a_transaction_that_was_lost_is_made_anew_once_the_counter_has_moved_on(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [LostRequest(), Meanwhile(lambda: other.add("user", "faster"))])
    assert log.add("user", "second") == 3
    assert on_ministack.tokens() == ["a", "a", "b"]
    assert contents(log) == ["first", "faster", "second"]


def test_a_lost_reply_to_the_very_first_append_does_not_double_it(on_ministack: Table) -> None:
    log = on_ministack.log()
    on_ministack.faulty.script(WRITE, [LostReply(), in_progress(), cancelled(), Ok()])
    assert log.append_many([AgentMessage("user", "one"), AgentMessage("user", "two")]) == 2
    assert on_ministack.tokens() == ["a", "a", "a", "a"]
    assert contents(log) == ["one", "two"]


def test_time_does_not_change_a_transaction_that_is_sent_again(on_ministack: Table) -> None:
    log = on_ministack.warm_log()
    on_ministack.faulty.script(WRITE, [*[LostRequest()] * 5, Ok()])
    log.add("user", "second")
    first, *others = on_ministack.transactions()
    assert len(others) == 5
    assert {request.body for request in others} == {first.body}


def test_a_writer_that_keeps_losing_tries_on_with_the_count_it_is_told(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [Meanwhile(lambda: other.add("user", "faster"))] * 4)
    assert log.add("user", "last") == 6
    assert on_ministack.faulty.operations == [WRITE] * 5
    assert on_ministack.tokens() == ["a", "b", "c", "d", "e"]


def test_a_row_behind_the_counter_is_reported_and_not_overwritten(on_moto: Table) -> None:
    log = on_moto.warm_log()
    row = {"conversation": {"S": "c1"}, "entry": {"S": "msg#000000000002"}, "content": {"S": "by hand"}}
    on_moto.faulty.client.put_item(TableName=on_moto.name, Item=row)
    assert type(failed(lambda: log.add("user", "second"))) is StorageUnavailableError
    assert len(on_moto.transactions()) == 1
    assert row in on_moto.rows()
    assert log.count() == 1


def test_on_append_is_not_told_of_what_may_not_be_written(on_ministack: Table) -> None:
    called: list[StoredMessage] = []
    log = MessageLog(on_ministack.storage(), called.append)
    on_ministack.faulty.script(WRITE, repeat(LostReply()))
    on_ministack.blind_after_a_write()
    assert type(failed(lambda: log.add("user", "first"))) is UnknownOutcomeError
    assert called == []


def test_on_append_is_told_once_of_what_took_several_tries(on_ministack: Table) -> None:
    called: list[StoredMessage] = []
    log = MessageLog(on_ministack.storage(), called.append)
    on_ministack.faulty.script(WRITE, [LostRequest(), throttled(), MOVED, LostReply(), Ok()])
    log.add("user", "first")
    assert called == log.all()
    assert len(called) == 1


def test_on_append_that_raises_an_error_of_the_storage_does_not_undo_or_repeat(on_moto: Table) -> None:
    def on_append(message: StoredMessage) -> None:
        raise ConnectionError

    log = MessageLog(on_moto.storage(), on_append)
    with pytest.raises(OnAppendError):
        log.add("user", "first")
    assert contents(log) == ["first"]
    assert len(on_moto.transactions()) == 1


def test_an_expected_count_that_another_writer_ended_is_told_with_the_real_count(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [LostRequest(), Meanwhile(lambda: other.add("user", "faster"))])
    with pytest.raises(ExpectedCountError) as caught:
        log.append({"role": "user", "content": "second"}, expected_count=1)
    assert caught.value.count == 2
    assert contents(log) == ["first", "faster"]


@pytest.mark.parametrize("fault", [LostReply(), server_error(), Unreachable()], ids=lambda fault: type(fault).__name__)
def test_a_cold_append_that_cannot_read_the_count_is_surely_not_written(on_moto: Table, fault: Outcome) -> None:
    on_moto.faulty.script("GetItem", repeat(fault))
    assert type(failed(lambda: on_moto.log().add("user", "hi"))) is StorageUnavailableError
    assert on_moto.transactions() == []


def test_a_cold_append_reads_the_count_again_if_that_fails(on_moto: Table) -> None:
    on_moto.faulty.script("GetItem", [LostReply(), throttled(), Ok()])
    assert on_moto.log().add("user", "hi") == 1
    assert on_moto.faulty.operations == ["GetItem"] * 3 + [WRITE]
