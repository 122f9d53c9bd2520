"""Messages of the Amazon Bedrock Converse API, and replies of it, as messages of the log.

Source: the API reference, `Message` and `ContentBlock`
(docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html).
"""

from __future__ import annotations

import json
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

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


def from_bedrock(messages: object) -> list[AgentMessage]:
    """Messages for the log from messages of the Converse API or a whole `converse` response.

    Each `toolResult` is a message of its own, before the text of its message; a `json` result becomes its JSON text.
    What the log has no place for is left out: a result's `status`, a thought's signature, redacted thinking, cache
    points.
    Raises CodecError with the path of what is no text or no such message.
    """
    return [message for path, entry in entries(messages) for message in _messages(*_unwrapped(entry, path))]


def _unwrapped(entry: Any, path: str) -> tuple[dict[str, Any], str]:
    """The message in a `converse` response, or the message that `entry` is."""
    fields = an_object(entry, path)
    for name in ("output", "message"):
        if name in fields:
            path = below(path, name)
            fields = an_object(fields[name], path)
    return fields, path


def _messages(message: dict[str, Any], path: str) -> list[AgentMessage]:
    role = a_role(message, "role", path, _ROLES)
    no_foreign_calls(message, path)
    found = Found()
    for where, block in each_part(content_of(message, path), below(path, "content")):
        _read(an_object(block, where), where, found)
        only_assistant_calls(found.calls, role, where)
    return found.messages(role)


def _read(block: dict[str, Any], path: str, found: Found) -> None:
    _check_union(block, path)
    match block:
        case {"text": _}:
            found.texts.append(a_text(block, "text", path))
        case {"reasoningContent": {"reasoningText": dict(thought)}}:
            found.thoughts.append(a_text(thought, "text", below(path, "reasoningContent.reasoningText")))
        case {"reasoningContent": _} | {"cachePoint": _}:
            pass
        case {"toolUse": dict(use)}:
            where = below(path, "toolUse")
            found.calls.append(ToolCall(a_text(use, "toolUseId", where), a_text(use, "name", where), use.get("input")))
        case {"toolResult": dict(result)}:
            where = below(path, "toolResult")
            text = joined(result.get("content"), below(where, "content"), _text_of)
            found.results.append(AgentMessage("tool", text, tool_call_id=a_text(result, "toolUseId", where)))
        case _:
            refuse(path, NOT_TEXT)


def _check_union(block: dict[str, Any], path: str) -> None:
    """The reference: a block is a union, only one of its members can be specified."""
    if len(block) > 1:
        refuse(path, "holds more than one member: make a block of each")


def _text_of(block: dict[str, Any], path: str) -> str:
    _check_union(block, path)
    if "json" not in block:
        return a_text(block, "text", path) if "text" in block else refuse(path, NOT_TEXT)
    try:
        return json.dumps(block["json"], ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        refuse(below(path, "json"), "is not JSON")
