"""The roles and origins of a chat's messages. Each member is text, equal to the value in a message."""

from __future__ import annotations

from enum import StrEnum


class ChatRole(StrEnum):
    """The speaker of a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    REASONING = "reasoning"


class Origin(StrEnum):
    """The cause of a message."""

    USER = "user"
    MODEL = "model"
    TOOL = "tool"
    HOOK = "hook"
    SYSTEM = "system"
