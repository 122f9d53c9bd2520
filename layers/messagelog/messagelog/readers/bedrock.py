"""Messages of the Amazon Bedrock Converse API, and replies of it, as messages of the log.

Sources: the API reference, `Message` and `ContentBlock`
(docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html), and botocore's model of the service.
"""

from __future__ import annotations

import json
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
_STREAM = {"stream", "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"}
_WHOLE = "use `converse(…)`, or put the deltas together into one message first"


def from_bedrock(messages: object) -> list[AgentMessage]:
    """Reads messages of the Converse API, or a whole `converse` response.

    Each `toolResult` becomes a message of its own, before the text of its message. A `json` result becomes its JSON
    text. Of `citationsContent`, `guardContent`, `searchResult` and a document that is text, the text is kept. The log
    has no place for a result's `status`, a thought's signature, redacted thinking, cache points, citations, and the
    calls and results of tools that the server ran, so these are left out.

    Args:
        messages: One message, a sequence of messages, or a response.

    Raises:
        CodecError: A block is not text, or a message is not valid. The error has its path.
    """
    return [message for path, entry in entries(messages) for message in _messages(*_unwrapped(entry, path))]


def _unwrapped(entry: Any, path: str) -> tuple[dict[str, Any], str]:
    """Returns the message of a `converse` response, or the entry if it is a message, with its path."""
    fields = a_message(entry, path)
    if not _STREAM.isdisjoint(fields):
        refuse_stream(path, _WHOLE)
    for name in ("output", "message"):
        if name in fields:
            path = below(path, name)
            fields = an_object(fields[name], path)
    return fields, path


def _messages(message: dict[str, Any], path: str) -> list[AgentMessage]:
    role = a_role(message, "role", path, _ROLES)
    no_foreign_calls(message, path)
    found = Found()
    content = content_of(message, path, optional=role == "assistant")
    for where, block in each_part(content, below(path, "content")):
        _check_union(an_object(block, where), where)
        if role != "assistant" or not _is_of_server_tool(block):
            _read(block, where, found)
        only_assistant_calls(found.calls, role, where)
    return found.messages(role)


def _is_of_server_tool(block: dict[str, Any]) -> bool:
    """Whether the block of a model's turn is the call or the result of a tool that the server ran.

    A call says so in its `type` (API_runtime_ToolUseBlock.html), and only such results stand in a model's turn.
    """
    match block:
        case {"toolUse": {"type": "server_tool_use"}} | {"toolResult": _}:
            return True
    return False


def _read(block: dict[str, Any], path: str, found: Found) -> None:
    match block:
        case {"reasoningContent": {"reasoningText": dict(thought)}}:
            found.thoughts.append(a_text(thought, "text", below(path, "reasoningContent.reasoningText")))
        case {"reasoningContent": _} | {"cachePoint": _}:
            pass
        case {"toolUse": dict(use)}:
            where = below(path, "toolUse")
            found.calls.append(ToolCall(a_text(use, "toolUseId", where), a_text(use, "name", where), use.get("input")))
        case {"toolResult": dict(result)}:
            where = below(path, "toolResult")
            text = joined(result.get("content"), below(where, "content"), _result_text_of)
            found.results.append(AgentMessage("tool", text, tool_call_id=a_text(result, "toolUseId", where)))
        case _:
            found.texts.append(_text_of(block, path))


def _check_union(block: dict[str, Any], path: str) -> None:
    """Refuses a block with several members: the reference says that it is a union."""
    if len(block) > 1:
        refuse(path, "holds more than one member: make a block of each")


def _text_of(block: dict[str, Any], path: str) -> str:
    """Returns the text of a block in one of the members that hold text."""
    match block:
        case {"text": _}:
            return a_text(block, "text", path)
        case {"guardContent": {"text": dict(text)}}:
            return a_text(text, "text", below(path, "guardContent.text"))
        case {"citationsContent": {"content": list(parts)}} | {"searchResult": {"content": list(parts)}}:
            return joined(parts, below(path, f"{next(iter(block))}.content"), _text_of)
        case {"document": {"source": {"content": list(parts)}}}:
            return joined(parts, below(path, "document.source.content"), _text_of)
        case {"document": {"source": {"text": _} as source}}:
            return a_text(source, "text", below(path, "document.source"))
    return refuse(path, NOT_TEXT)


def _result_text_of(block: dict[str, Any], path: str) -> str:
    """Returns the text of a block of a result, which may also be JSON."""
    _check_union(block, path)
    if "json" not in block:
        return _text_of(block, path)
    try:
        return json.dumps(block["json"], ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        refuse(below(path, "json"), "is not JSON")
