"""A large batch under DynamoDB's write limits. Each part has a budget of its own, and the deadline ends all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from messagelog import AgentMessage, MessageLog, StorageUnavailableError, ThrottledError
from messagelog.dynamodb import DynamoDBStorage, Retry, default_client

from tests.support.faulty import Faulty, Ok, Outcome, Request, throttled
from tests.support.logs import noise
from tests.support.tables import Table

TEXT = noise(1_000_000, alphabet="abcdefghijklmnopqrstuvwxyz0123456789é漢")
BATCH = [AgentMessage("user", TEXT) for _ in range(8)]


@pytest.fixture
def slow(on_ministack: Table) -> Table:
    """A partition that accepts 1,000 write units a second, its published maximum, without burst capacity."""
    free_at = [0.0]

    def choose(request: Request) -> Outcome:
        if request.operation != "PutItem":
            return Ok()
        if on_ministack.clock.now < free_at[0]:
            return throttled()
        free_at[0] = on_ministack.clock.now + len(request.body) / 1.37 / 1024 / 1000  # the body is base64
        return Ok()

    return replace(on_ministack, faulty=Faulty(default_client(), choose))


def test_a_large_batch_is_written_however_long_it_takes(slow: Table) -> None:
    assert slow.log().append_many(BATCH) == 8
    assert slow.clock.now > slow.retry.budget, "one budget for all parts would be too short"
    assert [message.content for message in slow.other().all()] == [TEXT] * 8


def test_a_large_batch_ends_at_the_deadline(slow: Table) -> None:
    """A caller gets no answer from a function that Lambda has ended."""
    clock = slow.clock
    retry = Retry(deadline=1.0, random=lambda: 0.5, clock=clock, sleep=clock.sleep)
    log = MessageLog(DynamoDBStorage("c1", table=slow.name, client=slow.faulty.client, retry=retry))
    with pytest.raises((ThrottledError, StorageUnavailableError)):
        log.append_many(BATCH)
    assert clock.now <= 1.5
    assert slow.other().count() == 0
