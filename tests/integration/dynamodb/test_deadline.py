"""A storage begins no request after its deadline. Otherwise Lambda might end the function before it has answered."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any
from uuid import uuid4

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messagelog import (
    AgentMessage,
    MessageLog,
    MessageLogError,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)
from messagelog.dynamodb import DynamoDBStorage, Retry
from messagelog.dynamodb.clients import CONNECT_TIMEOUT, READ_TIMEOUT

from tests.support.clock import Clock
from tests.support.faulty import (
    LostReply,
    LostRequest,
    Ok,
    Outcome,
    cancelled,
    refused,
    server_error,
    throttled,
)
from tests.support.sam_template import TEMPLATE
from tests.support.tables import Table

FUNCTION_SECONDS = TEMPLATE["Globals"]["Function"]["Timeout"]
DEADLINE = FUNCTION_SECONDS - 4.5
SLOWEST = CONNECT_TIMEOUT + READ_TIMEOUT
OPERATIONS = ("GetItem", "PutItem", "Query", "TransactWriteItems")

outcomes = st.sampled_from(
    [
        Ok(),
        LostRequest(),
        LostReply(),
        throttled(),
        server_error(),
        refused("TransactionConflictException"),
        cancelled("ConditionalCheckFailed"),
        cancelled(),
    ]
)


@dataclass
class Slow(Outcome):
    """Takes a number of seconds on the clock, and records when it began."""

    clock: Clock
    seconds: float
    outcome: Outcome
    begun: list[float] = field(default_factory=list)

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        self.begun.append(self.clock.now)
        self.clock.now += self.seconds
        return self.outcome.send(request)

    def receive(self) -> None:
        self.outcome.receive()


def timed(table: Table, deadline: float = DEADLINE) -> MessageLog:
    """The log of a new conversation, for an invocation that has just begun."""
    table.clock.now = 0.0
    retry = replace(table.retry, deadline=deadline)
    return MessageLog(DynamoDBStorage(uuid4().hex, table=table.name, client=table.faulty.client, retry=retry))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    slow=st.lists(st.tuples(st.floats(0, SLOWEST), outcomes), min_size=1, max_size=12),
    size=st.sampled_from([1, 3, 110]),
    options=st.fixed_dictionaries(
        {}, optional={"idempotency_key": st.just("k"), "expected_count": st.sampled_from([0, 1])}
    ),
)
def test_no_request_begins_after_the_deadline(
    on_moto: Table, slow: list[tuple[float, Outcome]], size: int, options: dict[str, Any]
) -> None:
    log, begun = timed(on_moto), []
    script = iter([Slow(on_moto.clock, seconds, outcome, begun) for seconds, outcome in slow])
    for operation in OPERATIONS:
        on_moto.faulty.script(operation, script)
    for act in (lambda: log.append_many([AgentMessage("user", "hi")] * size, **options), log.all, log.count):
        with suppress(MessageLogError):
            act()
    assert all(at < DEADLINE for at in begun)
    assert on_moto.clock.now < FUNCTION_SECONDS


def test_a_write_that_would_begin_too_late_is_not_written(on_moto: Table) -> None:
    log = timed(on_moto)
    on_moto.faulty.script("GetItem", [Slow(on_moto.clock, DEADLINE, Ok())])
    with pytest.raises(StorageUnavailableError, match="no time was left"):
        log.add("user", "hi")
    assert on_moto.transactions() == []


def test_throttling_is_reported_although_the_time_is_over(on_moto: Table) -> None:
    def oversleep(seconds: float) -> None:
        on_moto.clock.sleep(DEADLINE)

    on_moto.clock.now = 0.0
    retry = replace(on_moto.retry, deadline=DEADLINE, sleep=oversleep)
    log = MessageLog(DynamoDBStorage("c1", table=on_moto.name, client=on_moto.faulty.client, retry=retry))
    for operation in OPERATIONS:
        on_moto.faulty.script(operation, repeat(throttled()))
    for act in (lambda: log.add("user", "hi"), log.all, log.count):
        on_moto.clock.now = 0.0
        with pytest.raises(ThrottledError):
            act()


def test_a_first_request_after_the_deadline_is_not_sent(on_moto: Table) -> None:
    log = timed(on_moto, deadline=0.0)
    for act in (lambda: log.add("user", "hi"), log.all, log.last, log.count):
        with pytest.raises(StorageUnavailableError, match="no time was left"):
            act()
    assert on_moto.faulty.requests == []


def test_without_a_budget_there_is_one_try(on_moto: Table) -> None:
    retry = Retry(budget=0, clock=on_moto.clock, sleep=on_moto.clock.sleep)
    log = MessageLog(DynamoDBStorage("c1", table=on_moto.name, client=on_moto.faulty.client, retry=retry))
    assert log.add("user", "hi") == 1
    assert log.count() == 1


def test_a_lost_reply_at_the_deadline_stays_unknown(on_moto: Table) -> None:
    """After the second try, no time is left to read the append's own row."""
    log = timed(on_moto, deadline=2 * SLOWEST)
    on_moto.faulty.script("TransactWriteItems", repeat(Slow(on_moto.clock, SLOWEST, LostReply())))
    with pytest.raises(UnknownOutcomeError):
        log.add("user", "hi")
    assert on_moto.faulty.operations == ["GetItem", "TransactWriteItems", "TransactWriteItems"]


def test_a_lost_reply_before_the_deadline_is_settled_by_a_read(on_moto: Table) -> None:
    log = timed(on_moto)
    on_moto.faulty.script("TransactWriteItems", repeat(Slow(on_moto.clock, SLOWEST, LostReply())))
    assert log.add("user", "hi") == 1
    assert on_moto.faulty.operations == ["GetItem", *["TransactWriteItems"] * 2, "GetItem", "GetItem"]


def test_a_long_read_stops_at_the_deadline(on_moto: Table) -> None:
    log = timed(on_moto)
    for _ in range(30):
        log.add("user", "hi")
    reading = log.newest_first()
    next(reading)
    on_moto.clock.now = DEADLINE
    on_moto.faulty.forget()
    with pytest.raises(StorageUnavailableError, match="in parts"):
        list(reading)
    assert on_moto.faulty.requests == []
