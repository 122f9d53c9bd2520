"""Messages are plain values: frozen, equal if their fields are equal, and closed to other fields."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from messagelog import AgentMessage, File, Original, StoredMessage, ToolCall

from tests.support import strategies

CALL = ToolCall(id="t1", name="find", args={"q": "x"})
FILE = File("image/png", url="https://example.com/a.png")
ORIGINAL = Original("anthropic", [{"type": "text", "text": "let me look"}])
MESSAGE = AgentMessage("assistant", "let me look", tool_calls=(CALL,), files=(FILE,), original=ORIGINAL)
STORED = StoredMessage.of(MESSAGE, seq=1, at=datetime(2026, 3, 1, 12, tzinfo=UTC))
VALUES = [CALL, FILE, ORIGINAL, MESSAGE, STORED]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_every_field_is_frozen(value: Any) -> None:
    for field in fields(value):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field.name, getattr(value, field.name))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_has_no_room_for_other_fields(value: Any) -> None:
    assert not hasattr(value, "__dict__")


def test_the_order_of_the_fields() -> None:
    names = "role content name tool_calls tool_call_id origin created_at files original"
    assert [field.name for field in fields(AgentMessage)] == names.split()
    assert [field.name for field in fields(File)] == ["media_type", "data", "url", "name", "offset"]
    assert [field.name for field in fields(Original)] == ["api", "blocks", "model"]


def test_only_role_and_content_are_needed() -> None:
    message = AgentMessage("user", "hi")
    assert [getattr(message, field.name) for field in fields(message)[2:]] == [None, (), None, None, None, (), None]


@pytest.mark.parametrize(("name", "item"), [("tool_calls", CALL), ("files", FILE)])
def test_a_list_is_kept_as_a_tuple(name: str, item: Any) -> None:
    given = [item]
    message = AgentMessage("assistant", "", **{name: given})
    given.clear()
    assert getattr(message, name) == (item,)
    assert getattr(AgentMessage("assistant", "", **{name: None}), name) == ()


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
