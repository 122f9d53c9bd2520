"""Reads messages and replies of the Amazon Bedrock Converse API as messages of the log.

Sources: the API reference, `Message` and `ContentBlock`
(docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html), and botocore's model of the service.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from messagelog.messages import AgentMessage, File, Role, ToolCall
from messagelog.readers.bedrock_files import file_of
from messagelog.readers.originals import original_of, with_original
from messagelog.readers.reading import (
    NOT_HELD,
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
    read_content,
    refuse,
    refuse_stream,
)
from messagelog.strictjson import below
from messagelog.views import bedrock

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_STREAM = {"stream", "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"}
_WHOLE = "use `converse(…)`, or put the deltas together into one message first"


def from_bedrock(messages: object, model: str | None = None) -> list[AgentMessage]:
    """Reads messages of the Converse API, or a whole `converse` response.

    Each `toolResult` becomes a message of its own, before the text of its message. A `json` result becomes its JSON
    text. The text of `citationsContent`, `guardContent` and `searchResult` is kept. Images, documents, audio and video
    become files. An assistant's message keeps its blocks as the `original`, unless its text and calls already express
    them: thinking with its signature, redacted thinking, citations, and the calls and results of tools that the server
    ran. The log has no place for a result's `status`, cache points, a document's `context` and the owner of a bucket,
    so these are left out.

    Args:
        messages: One message, a sequence of messages, or a response.
        model: The id of the model that gave the reply, because a response does not name it.

    Raises:
        CodecError: A block is neither text nor a file that a message can hold, or a message is not valid. The error has
            its path.
    """
    return [message for path, entry in entries(messages) for message in _messages(*_unwrapped(entry, path), model)]


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


def _messages(message: dict[str, Any], path: str, model: str | None) -> list[AgentMessage]:
    role = a_role(message, "role", path, _ROLES)
    no_foreign_calls(message, path)
    found = Found()
    blocks = list(each_part(content_of(message, path, optional=role == "assistant"), below(path, "content")))
    for where, block in blocks:
        _check_union(an_object(block, where), where)
        if role != "assistant" or not _is_only_in_the_original(block):
            _read(block, where, found)
        only_assistant_calls(found.calls, role, where)
    if role != "assistant":
        return found.messages(role)
    original = original_of("bedrock", _sent_by_the_model(blocks), model)
    return found.messages(role, complete=lambda message: with_original(message, original, bedrock.turns))


def _is_only_in_the_original(block: dict[str, Any]) -> bool:
    """Whether the block of a model's turn says something to the server alone, such as a call of a tool that it ran.

    Such a call has a `type` that says so (API_runtime_ToolUseBlock.html). A model's turn has no other results.
    """
    match block:
        case {"toolUse": {"type": "server_tool_use"}} | {"toolResult": _} | {"toolAddition": _} | {"toolRemoval": _}:
            return True
    return False


def _sent_by_the_model(blocks: list[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the blocks without the caller's cache points, and without thinking that has no signature."""
    for where, block in blocks:
        match block:
            case {"reasoningContent": {"reasoningText": {"signature": str(signature)}}} if signature:
                yield where, block
            case {"reasoningContent": {"reasoningText": _}} | {"cachePoint": _}:
                pass
            case _:
                yield where, block


def _read(block: dict[str, Any], path: str, found: Found) -> None:
    file = file_of(block, path)
    if file is not None:
        found.add_file(file)
        return
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
            content = read_content(result.get("content"), below(where, "content"), _result_file_of, _result_text_of)
            found.results.append(content.message("tool", call_id=a_text(result, "toolUseId", where)))
        case _:
            found.texts.append(_text_of(block, path))


def _check_union(block: dict[str, Any], path: str) -> None:
    """Refuses a block with several members, because the reference says that a block is a union."""
    if len(block) > 1:
        refuse(path, "holds more than one member: make a block of each")


def _text_of(block: dict[str, Any], path: str) -> str:
    """Returns the text of a block that has one of the members for text."""
    match block:
        case {"text": _}:
            return a_text(block, "text", path)
        case {"guardContent": {"text": dict(text)}}:
            return a_text(text, "text", below(path, "guardContent.text"))
        case {"citationsContent": dict(holder)} | {"searchResult": dict(holder)}:
            return joined(holder.get("content"), below(path, f"{next(iter(block))}.content"), _text_of)
    return refuse(path, NOT_HELD)


def _result_file_of(block: dict[str, Any], path: str) -> File | None:
    _check_union(block, path)
    return file_of(block, path)


def _result_text_of(block: dict[str, Any], path: str) -> str:
    """Returns the text of a block of a result, which may also be JSON."""
    if "json" not in block:
        return _text_of(block, path)
    try:
        return json.dumps(block["json"], ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        refuse(below(path, "json"), "is not JSON")
