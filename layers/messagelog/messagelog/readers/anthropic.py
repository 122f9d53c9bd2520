"""Turns of the Anthropic Messages API, and replies of it, as messages of the log.

Source: the API reference (platform.claude.com/docs/en/api/messages), content blocks.
"""

from __future__ import annotations

from typing import Any

from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.readers.reading import (
    NOT_TEXT,
    Found,
    a_role,
    a_text,
    an_object,
    content_of,
    each_part,
    entries,
    joined,
    no_foreign_calls,
    only_assistant_calls,
    refuse,
)
from messagelog.strictjson import below

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


def from_anthropic(messages: object) -> list[AgentMessage]:
    """Messages for the log from turns of the Messages API or a whole Message.

    Each `tool_result` is a message of its own, before the text of its turn. What the log has no place for is left out:
    a result's `is_error`, a thought's signature, thinking that came encrypted, cache marks, citations.
    Raises CodecError with the path of what is no text, of a block that only the server can use, or of what is no turn.
    """
    return [message for path, entry in entries(messages) for message in _messages(an_object(entry, path), path)]


def _messages(turn: dict[str, Any], path: str) -> list[AgentMessage]:
    role = a_role(turn, "role", path, _ROLES)
    no_foreign_calls(turn, path)
    found = Found()
    for where, block in each_part(content_of(turn, path), below(path, "content")):
        if isinstance(block, str):
            found.texts.append(block)
        else:
            _read(an_object(block, where), where, found)
        only_assistant_calls(found.calls, role, where)
    return found.messages(role)


def _read(block: dict[str, Any], path: str, found: Found) -> None:
    match block.get("type"):
        case "text":
            found.texts.append(a_text(block, "text", path))
        case "thinking":
            found.thoughts.append(a_text(block, "thinking", path))
        case "redacted_thinking":
            pass
        case "tool_use":
            found.calls.append(ToolCall(a_text(block, "id", path), a_text(block, "name", path), block.get("input")))
        case "tool_result":
            text = joined(block.get("content"), below(path, "content"), _text_of)
            found.results.append(AgentMessage("tool", text, tool_call_id=a_text(block, "tool_use_id", path)))
        case _:
            refuse(path, NOT_TEXT)


def _text_of(block: dict[str, Any], path: str) -> str:
    return a_text(block, "text", path) if block.get("type") == "text" else refuse(path, NOT_TEXT)
