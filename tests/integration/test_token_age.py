"""A lost reply is made good by sending the same request again, as long as DynamoDB still knows its client token."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from messagelog import UnknownOutcomeError
from messagelog.dynamodb import writing

from tests.faulty import LostReply, Outcome, cancelled
from tests.tables import Table


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
    moved = cancelled("ConditionalCheckFailed", "None")

    def slept() -> Iterator[Outcome]:
        yield LostReply()
        monkeypatch.setattr(Later, "ahead", timedelta(minutes=10))
        yield moved

    on_ministack.faulty.script("TransactWriteItems", slept())
    with pytest.raises(UnknownOutcomeError):
        log.add("user", "pay 5")
    assert [message.content for message in on_ministack.other().all()] == ["first", "pay 5"]
