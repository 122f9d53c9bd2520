"""Tests pass a clock, a sleep and a source of chance to `Retry`, so none of them waits."""

from __future__ import annotations

import time
from dataclasses import FrozenInstanceError
from itertools import islice
from random import SystemRandom

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog.dynamodb.clients import CONNECT_TIMEOUT, READ_TIMEOUT
from messagelog.dynamodb.retry import OutOfTimeError, Retry

from tests.support.clock import Clock


def test_the_first_try_comes_without_a_pause() -> None:
    clock = Clock()
    assert next(Retry(clock=clock, sleep=clock.sleep).attempts()) == 0
    assert clock.pauses == []


def test_pauses_double_up_to_the_cap() -> None:
    clock = Clock()
    retry = Retry(budget=100, base=0.125, cap=1.0, random=lambda: 1.0, clock=clock, sleep=clock.sleep)
    assert list(islice(retry.attempts(), 6)) == [0, 1, 2, 3, 4, 5]
    assert clock.pauses == [0.125, 0.25, 0.5, 1.0, 1.0]


def test_jitter_is_full() -> None:
    clock = Clock()
    chances = iter([0.0, 0.5, 0.25])
    retry = Retry(budget=100, base=0.5, cap=8.0, random=lambda: next(chances), clock=clock, sleep=clock.sleep)
    assert len(list(islice(retry.attempts(), 4))) == 4
    assert clock.pauses == [0.0, 0.5, 0.5]


@given(st.floats(0, 10), st.floats(0.01, 1), st.floats(0.01, 1), st.lists(st.floats(0.01, 1), min_size=1))
def test_no_try_begins_after_the_budget(budget: float, base: float, cap: float, chances: list[float]) -> None:
    clock = Clock()
    turns = iter(chances * 10_000)
    retry = Retry(budget=budget, base=base, cap=cap, random=lambda: next(turns), clock=clock, sleep=clock.sleep)
    started = [clock.now for _ in islice(retry.attempts(), 500)]
    assert started[0] == 0
    assert all(at <= budget for at in started[1:])


def test_a_try_at_once_skips_one_pause_but_not_two_in_a_row() -> None:
    clock = Clock()
    retry = Retry(budget=100, base=1.0, cap=1.0, random=lambda: 1.0, clock=clock, sleep=clock.sleep)
    attempts = retry.attempts()
    for _ in islice(attempts, 5):
        attempts.at_once()
    assert clock.pauses == [1.0, 1.0]


def test_a_request_without_an_answer_is_followed_by_another() -> None:
    clock = Clock()
    attempts = Retry(random=lambda: 1 - 1e-9, clock=clock, sleep=clock.sleep).attempts()
    next(attempts)
    clock.now += CONNECT_TIMEOUT + READ_TIMEOUT
    assert next(attempts) == 1


def test_the_time_of_a_try_counts() -> None:
    clock = Clock()
    tries = 0
    for _ in Retry(budget=2.0, base=0.01, cap=0.01, clock=clock, sleep=clock.sleep).attempts():
        tries += 1
        clock.now += 1.5
    assert tries == 2


def test_no_try_follows_a_sleep_beyond_the_budget() -> None:
    clock = Clock()
    retry = Retry(budget=2.0, base=0.5, cap=0.5, clock=clock, sleep=lambda seconds: clock.sleep(seconds + 2))
    assert list(retry.attempts()) == [0]


def test_several_requests_can_share_one_budget() -> None:
    clock = Clock()
    retry = Retry(budget=2.0, base=0.5, cap=0.5, random=lambda: 1.0, clock=clock, sleep=clock.sleep)
    end = retry.end()
    assert list(islice(retry.attempts(end), 3)) == [0, 1, 2]
    assert list(retry.attempts(end)) == [0, 1]
    assert list(retry.attempts(end)) == [0]


def test_without_a_budget_there_is_one_try() -> None:
    assert list(Retry(budget=0).attempts()) == [0]


def test_no_request_begins_at_or_after_the_deadline() -> None:
    clock = Clock()
    retry = Retry(budget=0, deadline=2.0, clock=clock)
    retry.begin()
    clock.now = 2.0
    with pytest.raises(OutOfTimeError):
        retry.begin()


def test_without_a_deadline_any_request_may_begin() -> None:
    clock = Clock()
    retry = Retry(budget=0, clock=clock)
    clock.now = 1e9
    retry.begin()


def test_the_defaults_are_real_time_and_system_randomness() -> None:
    retry = Retry()
    assert (retry.clock, retry.sleep) == (time.monotonic, time.sleep)
    assert isinstance(retry.random.__self__, SystemRandom)  # type: ignore[attr-defined]


def test_a_retry_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Retry().budget = 3.0  # type: ignore[misc]
