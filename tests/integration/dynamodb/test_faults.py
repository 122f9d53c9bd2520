"""Appends when DynamoDB fails: nothing is lost or doubled, and the error says what is known.

The faults are those of "Error handling with DynamoDB" and "TransactWriteItems" in the developer guide and the API
reference. Tests that rely on a client token run on MiniStack, which honours tokens as DynamoDB does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import repeat

import pytest
from botocore.exceptions import ChecksumError
from messagelog import (
    ConflictError,
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
from tests.support.logs import contents, failed
from tests.support.tables import Table

WRITE = "TransactWriteItems"
SECRET = "the-users-own-words"
HEAD = {"conversation": {"S": "c1"}, "entry": {"S": "head"}, "count": {"N": "1"}}
MOVED = cancelled("ConditionalCheckFailed", "None")
MOVED_WITH_COUNT = cancelled("ConditionalCheckFailed", "None", item=HEAD)


class CorruptReply(Outcome):
    """Done, but the reply arrives with a wrong checksum."""

    def receive(self) -> None:
        raise ChecksumError(checksum_type="crc32", expected_checksum=1, actual_checksum=2)


TEMPORARY = [
    pytest.param(Unreachable(), ["a", "a"], id="no connection"),
    pytest.param(LostRequest(), ["a", "a"], id="lost request"),
    pytest.param(LostReply(), ["a", "a"], id="lost reply"),
    pytest.param(throttled(), ["a", "a"], id="throttled"),
    pytest.param(throttled("ProvisionedThroughputExceededException"), ["a", "a"], id="over the table's throughput"),
    pytest.param(refused("InvalidSignatureException"), ["a", "a"], id="expired signature"),
    pytest.param(server_error(), ["a", "a"], id="500"),
    pytest.param(server_error(503), ["a", "a"], id="503"),
    pytest.param(in_progress(), ["a", "a"], id="in progress"),
    pytest.param(refused("TransactionConflictException"), ["a", "b"], id="conflict"),
    pytest.param(cancelled("TransactionConflict", "None"), ["a", "b"], id="cancelled by a conflict"),
    pytest.param(cancelled("None", "ThrottlingError"), ["a", "a"], id="cancelled by throttling"),
    pytest.param(cancelled(), ["a", "b"], id="cancelled without reasons"),
    pytest.param(CorruptReply(), ["a", "a"], id="corrupt reply"),
    pytest.param(MOVED, ["a", "b"], id="counter moved"),
    pytest.param(MOVED_WITH_COUNT, ["a", "b"], id="counter moved, with the count"),
]


@pytest.mark.parametrize(("fault", "tokens"), TEMPORARY)
def test_an_append_survives_a_temporary_fault(on_ministack: Table, fault: Outcome, tokens: list[str]) -> None:
    """The same bytes are sent again. A new transaction is made only if another writer has caused the failure."""
    log = on_ministack.warm_log()
    on_ministack.faulty.script(WRITE, [fault, Ok()])
    assert log.add("user", "second") == 2
    assert on_ministack.tokens() == tokens
    counter_has_moved = fault in (MOVED, MOVED_WITH_COUNT)
    assert len(on_ministack.clock.pauses) == (0 if counter_has_moved else 1)
    assert contents(on_ministack.other()) == ["first", "second"]


def test_after_a_conflict_the_count_is_read_again(on_ministack: Table) -> None:
    """The other writer has most likely moved it. A read costs an eighth of a transaction that fails."""
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


@pytest.mark.parametrize("fault", [pytest.param(case.values[0], id=case.id) for case in TEMPORARY])
def test_a_fault_that_lasts_ends_with_the_budget(on_ministack: Table, fault: Outcome) -> None:
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
def test_the_last_error_says_what_is_known(
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
def test_a_request_that_must_fail_again_is_sent_once(on_moto: Table, fault: Outcome) -> None:
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


def test_a_losing_writer_goes_on_from_the_reported_count(on_ministack: Table) -> None:
    log, other = on_ministack.warm_log(), on_ministack.other()
    on_ministack.faulty.script(WRITE, [Meanwhile(lambda: other.add("user", "faster"))] * 4)
    assert log.add("user", "last") == 6
    assert on_ministack.faulty.operations == [WRITE] * 5
    assert on_ministack.tokens() == ["a", "b", "c", "d", "e"]


def test_a_row_after_the_counter_is_an_error_and_stays(on_moto: Table) -> None:
    log = on_moto.warm_log()
    row = {"conversation": {"S": "c1"}, "entry": {"S": "msg#000000000002"}, "content": {"S": "by hand"}}
    on_moto.faulty.client.put_item(TableName=on_moto.name, Item=row)
    assert type(failed(lambda: log.add("user", "second"))) is StorageUnavailableError
    assert len(on_moto.transactions()) == 1
    assert row in on_moto.rows()
    assert log.count() == 1


def test_a_raising_on_append_undoes_and_repeats_nothing(on_moto: Table) -> None:
    def on_append(message: StoredMessage) -> None:
        raise ConnectionError

    log = MessageLog(on_moto.storage(), on_append)
    with pytest.raises(OnAppendError):
        log.add("user", "first")
    assert contents(log) == ["first"]
    assert len(on_moto.transactions()) == 1


@pytest.mark.parametrize("fault", [LostReply(), server_error(), Unreachable()], ids=lambda fault: type(fault).__name__)
def test_without_the_count_a_cold_append_is_not_written(on_moto: Table, fault: Outcome) -> None:
    on_moto.faulty.script("GetItem", repeat(fault))
    assert type(failed(lambda: on_moto.log().add("user", "hi"))) is StorageUnavailableError
    assert on_moto.transactions() == []


def test_a_cold_append_reads_the_count_again_after_a_fault(on_moto: Table) -> None:
    on_moto.faulty.script("GetItem", [LostReply(), throttled(), Ok()])
    assert on_moto.log().add("user", "hi") == 1
    assert on_moto.faulty.operations == ["GetItem"] * 3 + [WRITE]
