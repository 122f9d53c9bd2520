"""Events for tests of hooks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from messagelog import StoredMessage, ToolCall
from messagelog.chat.hooks.events import StreamKind


@dataclass(frozen=True)
class Streamed:
    """A part of a stream that has only a kind and a text."""

    kind: StreamKind
    text: str = ""


def message(content: str = "hi", role: Any = "user", seq: int = 1, calls: tuple[ToolCall, ...] = ()) -> StoredMessage:
    """A stored message."""
    return StoredMessage(role=role, content=content, seq=seq, at=datetime.now(UTC), tool_calls=calls)
