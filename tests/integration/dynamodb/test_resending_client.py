"""A client that retries by itself, as boto3's does by default, reports only its last try. Its earlier tries count too.

The client here tries less often than by default, because its pauses are real.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat

import boto3
import pytest
from messagelog import StorageUnavailableError, ThrottledError, UnknownOutcomeError
from messagelog.dynamodb import Retry, default_client
from messagelog.dynamodb.table import ConversationTable

from tests.support.faulty import Faulty, Ok, Outcome, cancelled, refused, throttled
from tests.support.resending import NoConnection, TimedOut, client_of
from tests.support.tables import Table

WRITE = "TransactWriteItems"


@pytest.fixture(params=["legacy", "standard"])
def resending(on_ministack: Table, request: pytest.FixtureRequest) -> Table:
    """A table whose client sends each request up to two times."""
    return replace(on_ministack, faulty=Faulty(client_of({"mode": request.param, "total_max_attempts": 2})))


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short budget, because the client itself pauses in each try."""
    monkeypatch.setattr(
        Table, "retry", property(lambda table: Retry(budget=0.1, clock=table.clock, sleep=table.clock.sleep))
    )


def first_lost(then: Outcome) -> Iterator[Outcome]:
    yield TimedOut()
    yield from repeat(then)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("then", [NoConnection(), throttled(), refused("AccessDeniedException")])
def test_an_earlier_try_makes_the_outcome_unknown(resending: Table, then: Outcome) -> None:
    log = resending.warm_log()
    resending.faulty.script(WRITE, first_lost(then))
    resending.faulty.script("GetItem", repeat(NoConnection()))
    with pytest.raises(UnknownOutcomeError):
        log.add("user", "second")
    assert [message.content for message in resending.other().all()] == ["first", "second"]


@pytest.mark.parametrize("then", [cancelled("TransactionConflict", "None"), cancelled()], ids=["conflict", "no reason"])
def test_an_earlier_try_is_not_written_twice(resending: Table, then: Outcome) -> None:
    log = resending.warm_log()
    resending.faulty.script(WRITE, [TimedOut(), then, Ok()])
    assert log.add("user", "second") == 2
    assert resending.tokens() == ["a", "a", "a"]
    assert [message.content for message in resending.other().all()] == ["first", "second"]


def test_a_moved_counter_proves_that_no_try_was_done(resending: Table) -> None:
    log = resending.warm_log()
    resending.other().add("user", "faster")
    resending.faulty.script(WRITE, [NoConnection(), Ok(), Ok()])
    assert log.add("user", "second") == 3
    assert resending.tokens() == ["a", "a", "b"]


@pytest.mark.usefixtures("brief")
def test_a_failed_read_is_never_an_unknown_outcome(resending: Table) -> None:
    log = resending.warm_log()
    resending.faulty.script("GetItem", repeat(throttled()))
    with pytest.raises(ThrottledError):
        log.count()
    resending.faulty.script("GetItem", repeat(NoConnection()))
    with pytest.raises(StorageUnavailableError):
        log.count()


@pytest.mark.parametrize(
    ("retries", "resends"),
    [
        (None, True),
        ({"mode": "standard"}, True),
        ({"mode": "adaptive"}, True),
        ({"max_attempts": 1}, True),
        ({"total_max_attempts": 2}, True),
        ({"max_attempts": 0}, False),
        ({"total_max_attempts": 1}, False),
        ({"total_max_attempts": 1, "mode": "standard"}, False),
    ],
)
def test_the_table_knows_whether_its_client_resends(
    on_moto: Table, retries: dict[str, object] | None, *, resends: bool
) -> None:
    client = boto3.client("dynamodb") if retries is None else client_of(retries)
    assert ConversationTable(client, on_moto.name, "c1", on_moto.retry).resends is resends


def test_the_default_client_never_resends(on_moto: Table) -> None:
    assert not ConversationTable(default_client(), on_moto.name, "c1", on_moto.retry).resends
