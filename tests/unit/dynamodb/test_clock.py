"""DynamoDB's time comes from its replies. Between replies, only the monotonic clock moves it on."""

from __future__ import annotations

import time
from typing import Any

import pytest
from messagelog.dynamodb import clock, default_client
from messagelog.dynamodb.clock import ServerClock, server_clock_of

NOON = 1772366400.0  # Sun, 01 Mar 2026 12:00:00 GMT


def reply(date: Any) -> dict[str, Any]:
    return {"ResponseMetadata": {"HTTPHeaders": {"date": date}}}


def test_the_time_is_unknown_before_the_first_reply() -> None:
    assert ServerClock().now() is None


def test_the_monotonic_clock_moves_the_time_of_a_reply_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [100.0]
    monkeypatch.setattr(clock.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(clock.time, "time", lambda: pytest.fail("the wall clock was read"))
    server = ServerClock()
    server.hear(reply("Sun, 01 Mar 2026 12:00:00 GMT"))
    seconds[0] += 2.5
    assert server.now() == NOON + 2.5
    server.hear(reply("Sun, 01 Mar 2026 12:30:00 GMT"))
    assert server.now() == NOON + 1800


@pytest.mark.parametrize("date", [None, "", "yesterday", 7])
def test_an_unreadable_date_is_ignored(date: Any) -> None:
    server = ServerClock()
    server.hear(reply(date))
    server.hear({})
    assert server.now() is None


def test_every_reply_of_a_client_sets_its_clock(moto_table: Any) -> None:
    client = default_client()
    server = server_clock_of(client)
    assert server is server_clock_of(client)
    client.list_tables()
    now = server.now()
    assert now is not None
    assert abs(now - time.time()) < 60
