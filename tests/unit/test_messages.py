"""Messages are plain values: frozen, equal by what they hold, and without a place for anything else."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime

import pytest
from hypothesis import given
from messagelog import AgentMessage, StoredMessage, ToolCall

from tests.support import strategies

CALL = ToolCall(id="t1", name="find", args={"q": "x"})
MESSAGE = AgentMessage("assistant", "let me look", tool_calls=(CALL,))
STORED = StoredMessage.of(MESSAGE, seq=1, at=datetime(2026, 3, 1, 12, tzinfo=UTC))


@pytest.mark.parametrize("value", [CALL, MESSAGE, STORED], ids=lambda value: type(value).__name__)
def test_every_field_is_frozen(value: ToolCall | AgentMessage) -> None:
    for field in fields(value):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field.name, getattr(value, field.name))


@pytest.mark.parametrize("value", [CALL, MESSAGE, STORED], ids=lambda value: type(value).__name__)
def test_there_is_no_room_for_other_fields(value: ToolCall | AgentMessage) -> None:
    assert not hasattr(value, "__dict__")


def test_only_role_and_content_are_needed() -> None:
    message = AgentMessage("user", "hi")
    assert (message.name, message.tool_calls, message.tool_call_id, message.origin) == (None, (), None, None)


def test_calls_given_as_a_list_are_kept_as_a_tuple() -> None:
    calls = [CALL]
    message = AgentMessage("assistant", "", tool_calls=calls)  # type: ignore[arg-type]
    calls.clear()
    assert message.tool_calls == (CALL,)


@given(strategies.messages)
def test_a_stored_message_holds_the_whole_message(message: AgentMessage) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    stored = StoredMessage.of(message, seq=7, at=at)
    assert (stored.seq, stored.at) == (7, at)
    assert all(getattr(stored, field.name) is getattr(message, field.name) for field in fields(message))


def test_seq_and_at_are_part_of_the_value() -> None:
    assert StoredMessage.of(MESSAGE, seq=1, at=STORED.at) == STORED
    assert StoredMessage.of(MESSAGE, seq=2, at=STORED.at) != STORED
    assert STORED != MESSAGE
