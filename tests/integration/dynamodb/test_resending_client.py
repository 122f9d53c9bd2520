"""A client that retries by itself, as boto3's does by default, tells of its last try alone: what it sent before counts.

Fewer tries than the default ones, so that nobody waits for their pauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError
from botocore.httpsession import URLLib3Session
from messagelog import StorageUnavailableError, ThrottledError, UnknownOutcomeError
from messagelog.dynamodb import Retry, default_client
from messagelog.dynamodb.table import ConversationTable

from tests.support.faulty import Faulty, Ok, Outcome, cancelled, refused, throttled
from tests.support.tables import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WRITE = "TransactWriteItems"


class TimedOut(Outcome):
    """Done, but the client does not wait for the answer, and sends the request again."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        URLLib3Session().send(request)
        raise ReadTimeoutError(endpoint_url=request.url)


class NoConnection(Outcome):
    """Not done, and the client sends the request again."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        raise ConnectTimeoutError(endpoint_url=request.url)


def client_of(retries: dict[str, object]) -> DynamoDBClient:
    return boto3.client("dynamodb", config=Config(retries=retries))  # type: ignore[arg-type]


@pytest.fixture(params=["legacy", "standard"])
def resending(on_ministack: Table, request: pytest.FixtureRequest) -> Table:
    """A table whose client sends each request twice if it must."""
    return replace(on_ministack, faulty=Faulty(client_of({"mode": request.param, "total_max_attempts": 2})))


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few tries of ours, as each has pauses of the client's own."""
    monkeypatch.setattr(
        Table, "retry", property(lambda table: Retry(budget=0.1, clock=table.clock, sleep=table.clock.sleep))
    )


def first_lost(then: Outcome) -> Iterator[Outcome]:
    yield TimedOut()
    yield from repeat(then)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("then", [NoConnection(), throttled(), refused("AccessDeniedException")])
def test_what_was_sent_before_is_not_called_unwritten(resending: Table, then: Outcome) -> None:
    log = resending.warm_log()
    resending.faulty.script(WRITE, first_lost(then))
    resending.faulty.script("GetItem", repeat(NoConnection()))
    with pytest.raises(UnknownOutcomeError):
        log.add("user", "second")
    assert [message.content for message in resending.other().all()] == ["first", "second"]


@pytest.mark.parametrize("then", [cancelled("TransactionConflict", "None"), cancelled()], ids=["conflict", "no reason"])
def test_what_was_sent_before_is_not_written_twice(resending: Table, then: Outcome) -> None:
    log = resending.warm_log()
    resending.faulty.script(WRITE, [TimedOut(), then, Ok()])
    assert log.add("user", "second") == 2
    assert resending.tokens() == ["a", "a", "a"]
    assert [message.content for message in resending.other().all()] == ["first", "second"]


def test_a_moved_counter_tells_that_neither_was_done(resending: Table) -> None:
    log = resending.warm_log()
    resending.other().add("user", "faster")
    resending.faulty.script(WRITE, [NoConnection(), Ok(), Ok()])
    assert log.add("user", "second") == 3
    assert resending.tokens() == ["a", "a", "b"]


@pytest.mark.usefixtures("brief")
def test_a_read_is_no_unknown_outcome(resending: Table) -> None:
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
def test_a_client_is_asked_whether_it_sends_again(
    on_moto: Table, retries: dict[str, object] | None, *, resends: bool
) -> None:
    client = boto3.client("dynamodb") if retries is None else client_of(retries)
    assert ConversationTable(client, on_moto.name, "c1", on_moto.retry).resends is resends


def test_the_default_client_sends_once(on_moto: Table) -> None:
    assert not ConversationTable(default_client(), on_moto.name, "c1", on_moto.retry).resends
