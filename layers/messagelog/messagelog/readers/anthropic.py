"""Turns of the Anthropic Messages API, and replies of it, as messages of the log.

Sources: the API reference (platform.claude.com/docs/en/api/messages), content blocks and stream events, and the types
of the SDK (`anthropic.types.ContentBlock`).
"""

from __future__ import annotations

from typing import Any

from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.readers.reading import (
    NOT_TEXT,
    Found,
    a_message,
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
    refuse_stream,
)
from messagelog.strictjson import below

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_EVENTS = ("message_", "content_block_")
_WHOLE = "use `client.messages.stream(…)` and give the result of its `get_final_message()`"


def from_anthropic(messages: object) -> list[AgentMessage]:
    """Reads turns of the Messages API, or a whole Message.

    Each `tool_result` becomes a message of its own, before the text of its turn. The log has no place for a result's
    `is_error`, a thought's signature, encrypted thinking, cache marks, citations, and the calls and results of tools
    that the server ran (web search and the like), so these are left out.

    Args:
        messages: One turn, a sequence of turns, or a reply, as dicts or objects of the SDK.

    Raises:
        CodecError: A block is not text, or a turn is not valid. The error has its path.
    """
    return [message for path, entry in entries(messages) for message in _messages(a_message(entry, path), path)]


def _messages(turn: dict[str, Any], path: str) -> list[AgentMessage]:
    if str(turn.get("type")).startswith(_EVENTS):
        refuse_stream(path, _WHOLE)
    role = a_role(turn, "role", path, _ROLES)
    no_foreign_calls(turn, path)
    found = Found()
    content = content_of(turn, path, optional=role == "assistant")
    for where, block in each_part(content, below(path, "content")):
        if isinstance(block, str):
            found.texts.append(block)
        elif role != "assistant" or not is_of_server_tool(an_object(block, where)):
            _read(an_object(block, where), where, found)
        only_assistant_calls(found.calls, role, where)
    return found.messages(role)


def is_of_server_tool(block: dict[str, Any]) -> bool:
    """Whether the block of a model's turn is the call or the result of a tool that the server itself ran."""
    kind = str(block.get("type"))
    return kind in ("server_tool_use", "mcp_tool_use") or kind.endswith("_tool_result")


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
