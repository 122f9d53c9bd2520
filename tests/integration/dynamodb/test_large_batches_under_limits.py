"""A large batch where DynamoDB lets only so much through: each part has tries of its own, none beyond the end."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from messagelog import AgentMessage, MessageLog, StorageUnavailableError, ThrottledError
from messagelog.dynamodb import DynamoDBStorage, Retry, default_client

from tests.support.faulty import Faulty, Ok, Outcome, Request, throttled
from tests.support.tables import Table

TEXT = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789é漢", k=1_000_000))
BATCH = [AgentMessage("user", TEXT) for _ in range(8)]


@pytest.fixture
def slow(on_ministack: Table) -> Table:
    """A partition that takes 1,000 write units a second, its published maximum, with nothing saved up."""
    free_at = [0.0]

    def choose(request: Request) -> Outcome:
        if request.operation != "PutItem":
            return Ok()
        if on_ministack.clock.now < free_at[0]:
            return throttled()
        free_at[0] = on_ministack.clock.now + len(request.body) / 1.37 / 1024 / 1000  # the body holds bytes as base64
        return Ok()

    return replace(on_ministack, faulty=Faulty(default_client(), choose))


def test_it_gets_through_however_long_it_takes(slow: Table) -> None:
    assert slow.log().append_many(BATCH) == 8
    assert slow.clock.now > slow.retry.budget, "one budget for all would not have done"
    assert [message.content for message in slow.other().all()] == [TEXT] * 8


def test_it_is_given_up_when_its_time_is_over(slow: Table) -> None:
    """A function that Lambda ends in the middle tells its caller nothing."""
    clock = slow.clock
    retry = Retry(deadline=1.0, random=lambda: 0.5, clock=clock, sleep=clock.sleep)
    log = MessageLog(DynamoDBStorage("c1", table=slow.name, client=slow.faulty.client, retry=retry))
    with pytest.raises((ThrottledError, StorageUnavailableError)):
        log.append_many(BATCH)
    assert clock.now <= 1.5
    assert slow.other().count() == 0
