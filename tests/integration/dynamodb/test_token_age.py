"""A lost reply is made good by sending the same request again, as long as DynamoDB still knows its client token."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import repeat

import pytest
from messagelog import AgentMessage, UnknownOutcomeError
from messagelog.dynamodb import writing

from tests.support.faulty import LostReply, LostRequest, Ok, Outcome, cancelled
from tests.support.tables import Table

MOVED = cancelled("ConditionalCheckFailed", "None")


class Later(datetime):
    """A clock that somebody sets forward."""

    ahead = timedelta()

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return datetime.now(UTC) + cls.ahead


def test_a_machine_that_slept_between_two_tries_calls_the_outcome_unknown(
    on_ministack: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten minutes later the token is forgotten: the counter that moved may have been moved by the first try."""
    log = on_ministack.warm_log()
    monkeypatch.setattr(writing, "datetime", Later)

    def slept() -> Iterator[Outcome]:
        yield LostReply()
        monkeypatch.setattr(Later, "ahead", timedelta(minutes=10))
        yield MOVED

    on_ministack.faulty.script("TransactWriteItems", slept())
    with pytest.raises(UnknownOutcomeError):
        log.add("user", "pay 5")
    assert [message.content for message in on_ministack.other().all()] == ["first", "pay 5"]


def test_the_time_that_a_segment_takes_before_is_none_of_the_tokens_life(
    on_ministack: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = on_ministack.warm_log()
    monkeypatch.setattr(writing, "datetime", Later)

    def slow() -> Iterator[Outcome]:
        monkeypatch.setattr(Later, "ahead", timedelta(minutes=10))
        yield from repeat(Ok())

    on_ministack.faulty.script("PutItem", slow())
    on_ministack.faulty.script("TransactWriteItems", [LostRequest(), MOVED, Ok()])
    assert log.append_many([AgentMessage("user", "hi")] * 120) == 121
