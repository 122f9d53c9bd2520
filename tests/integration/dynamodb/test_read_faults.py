"""Reads when DynamoDB fails: a read is tried again, and its error never speaks of an unknown outcome."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat

import pytest
from messagelog import (
    MessageLog,
    MessageLogError,
    StorageUnavailableError,
    ThrottledError,
)

from tests.support.faulty import (
    LostReply,
    LostRequest,
    Ok,
    Outcome,
    Unreachable,
    refused,
    server_error,
    throttled,
)
from tests.support.logs import contents, failed, noise
from tests.support.tables import Table

READS: list[tuple[str, Callable[[MessageLog], object]]] = [
    ("GetItem", lambda log: log.count()),
    ("Query", lambda log: contents(log)),
    ("Query", lambda log: [message.content for message in log.last(5)]),
]


@pytest.mark.parametrize(("operation", "read"), READS)
@pytest.mark.parametrize(
    "fault", [Unreachable(), LostRequest(), LostReply(), throttled(), server_error()], ids=lambda f: type(f).__name__
)
def test_a_read_survives_a_temporary_fault(
    on_moto: Table, operation: str, read: Callable[[MessageLog], object], fault: Outcome
) -> None:
    log = on_moto.warm_log()
    expected = read(log)
    on_moto.faulty.forget()
    on_moto.faulty.script(operation, [fault, fault, Ok()])
    assert read(log) == expected
    assert on_moto.faulty.operations == [operation] * 3


@pytest.mark.parametrize(("operation", "read"), READS)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Unreachable(), StorageUnavailableError),
        (LostRequest(), StorageUnavailableError),
        (LostReply(), StorageUnavailableError),
        (server_error(), StorageUnavailableError),
        (throttled(), ThrottledError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Outcome) else None,
)
def test_a_read_that_keeps_failing_is_never_an_unknown_outcome(
    on_moto: Table,
    operation: str,
    read: Callable[[MessageLog], object],
    fault: Outcome,
    kind: type[MessageLogError],
) -> None:
    log = on_moto.warm_log()
    on_moto.faulty.script(operation, repeat(fault))
    assert type(failed(lambda: read(log))) is kind
    assert 5 < len(on_moto.faulty.requests) < 50
    assert sum(on_moto.clock.pauses) <= on_moto.retry.budget


@pytest.mark.parametrize(("operation", "read"), READS)
def test_a_refused_read_is_sent_once(on_moto: Table, operation: str, read: Callable[[MessageLog], object]) -> None:
    log = on_moto.warm_log()
    on_moto.faulty.script(operation, repeat(refused("AccessDeniedException")))
    error = failed(lambda: read(log))
    assert type(error) is StorageUnavailableError
    assert str(error).endswith("give the caller's role access to the table and its key")
    assert on_moto.faulty.operations == [operation]


def test_a_failed_page_is_read_again_without_repeats(on_moto: Table) -> None:
    log = on_moto.log()
    texts = [noise(250_000, seed) for seed in range(9)]
    for text in texts:
        log.add("user", text)
    on_moto.faulty.forget()
    on_moto.faulty.script("Query", [Ok(), server_error(), LostReply(), Ok(), throttled(), Ok()])
    assert contents(log) == texts
    assert len(on_moto.faulty.requests) == 6
