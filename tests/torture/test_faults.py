"""The faults of the torture do what they say, and all of them are chosen."""

from __future__ import annotations

import json
import random
import time
from datetime import UTC, datetime
from itertools import count

import pytest
from messagelog import UnknownOutcomeError
from messagelog.dynamodb import writing

from tests.support.faulty import LostReply, Ok, Outcome, Request
from tests.support.logs import contents
from tests.support.tables import Table
from tests.torture.faults import ForgottenToken, RandomFaults
from tests.torture.wall_clock import WallClock, library_modules

WRITE = "TransactWriteItems"


def transaction(token: str) -> Request:
    return Request(WRITE, json.dumps({"ClientRequestToken": token, "TransactItems": [{}, {}]}).encode())


def test_a_forgotten_token_makes_a_transaction_new(on_ministack: Table) -> None:
    """MiniStack honours tokens. Without the fault, the second try gets the answer of the first one."""
    log = on_ministack.warm_log()
    sent: list[Outcome] = []

    def choose(request: Request) -> Outcome:
        if request.operation == WRITE:
            token = request.parameters["ClientRequestToken"]
            sent.append(ForgottenToken(token, Ok()) if sent else LostReply())
            return sent[-1]
        return Ok()

    on_ministack.faulty.choose = choose
    assert log.add("user", "second") == 2
    assert contents(on_ministack.other()) == ["first", "second"]
    assert on_ministack.faulty.operations == [WRITE, WRITE, "GetItem"], "only its own row tells the outcome"


def test_a_forgotten_token_keeps_the_fault_of_its_request(on_ministack: Table) -> None:
    log = on_ministack.warm_log()
    on_ministack.faulty.choose = lambda request: (
        ForgottenToken(request.parameters["ClientRequestToken"], LostReply())
        if request.operation == WRITE
        else LostReply()
    )
    with pytest.raises(UnknownOutcomeError):
        log.add("user", "second")
    on_ministack.faulty.choose = lambda _: Ok()
    assert contents(on_ministack.other()) == ["first", "second"]


def test_every_kind_of_fault_is_chosen() -> None:
    random.seed(1)
    steps: list[None] = []
    kinds: list[str] = []
    choose = RandomFaults(0.5, lambda: steps.append(None), kinds.append)
    for number in range(2_000):
        choose(transaction(f"token {number // 3}"))
    assert {"lost reply", "late request", "forgotten token", "expired signature", "clock step"} <= set(kinds)
    assert len(set(kinds)) == 13
    assert kinds.count("clock step") == len(steps)


def test_only_an_unanswered_token_is_forgotten() -> None:
    """DynamoDB never sees a token again after it has answered. Forgetting it would prove nothing."""
    random.seed(2)
    kinds: list[str] = []
    choose = RandomFaults(0.5, lambda: None, kinds.append)
    outcomes = [choose(transaction(f"token {number}")) for number in range(500)]
    assert not any(isinstance(outcome, ForgottenToken) for outcome in outcomes)


def test_the_wall_clock_jumps_both_ways_stops_and_goes_right() -> None:
    random.seed(3)
    day = 24 * 60 * 60
    seconds = count()
    clock = WallClock(lambda: float(next(seconds)))
    jumps, steps = [], []
    for _ in range(50):
        clock.step()
        begun = clock.time()
        steps.append(clock.time() - begun)
        jumps.append(begun - next(seconds))
    assert min(jumps) < -day
    assert max(jumps) > day
    assert any(abs(jump) < 60 for jump in jumps)
    assert {round(step) for step in steps} == {0, 1}, "it stands still, or it goes on"


def test_the_library_reads_the_wall_clock_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", time.time)  # restores what `install` changes
    monkeypatch.setattr(writing, "datetime", writing.datetime)
    assert writing in library_modules()
    WallClock(lambda: 86_400.0).install([writing])
    assert time.time() == 86_400.0
    assert writing.datetime.now(UTC) == datetime(1970, 1, 2, tzinfo=UTC)
