"""Leases are judged by DynamoDB's clock: a host whose own clock is wrong neither takes one too early nor blocks."""

from __future__ import annotations

import time
from typing import Any

import pytest
from messagelog import SendRunningError
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.dynamodb import clock

from tests.support.fake_dynamodb import FakeDynamoDB, Tables


class Host:
    """The clocks of one host: the wall clock is off, and the monotonic clock begins anywhere."""

    def __init__(self, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tables = tables
        self.ahead = 0.0
        monkeypatch.setattr(time, "time", lambda: tables.now + self.ahead)
        monkeypatch.setattr(clock, "time", self)

    def monotonic(self) -> float:
        return self.tables.now - 1_234.5

    def state(self, ahead: float = 0.0) -> DynamoDBChatState:
        """The state as a process finds it on a host whose clock is so far ahead."""
        self.ahead = ahead
        client: Any = FakeDynamoDB(self.tables)
        return DynamoDBChatState("c1", table="chats", client=client)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(Tables(), monkeypatch)


@pytest.mark.parametrize("ahead", [61, 86_400, -86_400])
def test_a_live_lease_is_not_taken(host: Host, ahead: float) -> None:
    host.state().acquire("one", seconds=60)
    host.tables.now += 59
    other = host.state(ahead)
    with pytest.raises(SendRunningError):
        other.acquire("other", seconds=60)
    assert other.is_running()


@pytest.mark.parametrize("ahead", [61, 86_400, -86_400])
def test_a_holder_with_a_wrong_clock_blocks_no_longer(host: Host, ahead: float) -> None:
    host.state(ahead).acquire("one", seconds=60)
    host.tables.now += 62.1
    assert not host.state().is_running()
    host.state().acquire("other", seconds=60)


def test_a_lease_lasts_two_seconds_longer_than_asked(host: Host) -> None:
    """DynamoDB's clock tells whole seconds, and a reply takes a while."""
    host.tables.now += 0.9
    host.state().acquire("one", seconds=60)
    host.tables.now += 60.9
    with pytest.raises(SendRunningError):
        host.state().acquire("other", seconds=60)
