"""The roles and origins of a chat's messages, by name. Each is a text, equal to what a message carries."""

from __future__ import annotations

from enum import StrEnum


class ChatRole(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    REASONING = "reasoning"


class Origin(StrEnum):
    """What caused a message."""

    USER = "user"
    MODEL = "model"
    TOOL = "tool"
    HOOK = "hook"
    SYSTEM = "system"
