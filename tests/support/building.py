"""Parts for tests of a chat without a model."""

from __future__ import annotations

from types import SimpleNamespace

from messagelog import StoredMessage
from messagelog.chat import Tool, ToolPackage

NO_MESSAGES = SimpleNamespace(apply=lambda messages: [])
"""A handoff strategy that goes on without messages."""


def said(messages: list[StoredMessage]) -> list[tuple[str, str]]:
    """Roles and contents."""
    return [(message.role, message.content) for message in messages]


class WeatherPackage(ToolPackage):
    """Two tools and a tutorial."""

    def tools(self) -> list[Tool]:
        return [Tool(name, "", {}, lambda args: "") for name in ("greet", "weather")]

    def tutorial(self) -> str | None:
        return "Use greet first."
