"""Converts whole messages to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, cast

from messagelog.codec.fields import choice, optional_text, text, time, to_timestamp
from messagelog.codec.files import check_files, file_from_json, file_to_json, parse_files
from messagelog.codec.originals import check_original, original_from_json, original_to_json, parse_original
from messagelog.errors import CodecError
from messagelog.messages import ORIGINS, ROLES, AgentMessage, Origin, Role, StoredMessage, ToolCall
from messagelog.sdk_objects import fields_of
from messagelog.strictjson import (
    Owned,
    Take,
    below,
    checked,
    copied,
    dumps,
    kind_of,
    refuse_kind,
    require,
    require_object,
)

_MESSAGE_FIELDS = ("role", "content", "name", "toolCalls", "toolCallId", "origin", "createdAt", "files", "original")
_STORED_FIELDS = ("seq", "at")
_CALL_FIELDS = ("id", "name", "args")
_OF_OPENAI = {"tool_calls": "toolCalls", "tool_call_id": "toolCallId"}


def parse(value: AgentMessage | Mapping[str, object], path: str = "") -> AgentMessage:
    """Checks a message and returns it as a value that shares nothing with the argument.

    Args:
        value: The message, as a value or in its JSON form. In the JSON form, null for an optional field means that the
            field is absent. `seq` and `at` are ignored, so that the result of a read can be appended elsewhere. The
            parts of an `Owned` form are kept and not copied.
        path: The path of the message in what the caller gave, for errors.

    Raises:
        CodecError: The message cannot be stored and read back equal.
    """
    fields: Mapping[str, object]
    if isinstance(value, AgentMessage):
        fields, read_files, read_original = _fields_of(value, path), check_files, check_original
    else:
        _refuse_foreign(value, path)
        fields = require_object(value, path, (*_MESSAGE_FIELDS, *_STORED_FIELDS))
        read_files, read_original = parse_files, parse_original
    take = checked if isinstance(value, Owned) else copied
    message = AgentMessage(
        role=cast(Role, choice(fields, path, "role", ROLES)),
        content=(content := text(fields, path, "content")),
        name=optional_text(fields, path, "name"),
        tool_calls=_tool_calls(fields.get("toolCalls"), below(path, "toolCalls"), take),
        tool_call_id=optional_text(fields, path, "toolCallId"),
        origin=None if fields.get("origin") is None else cast(Origin, choice(fields, path, "origin", ORIGINS)),
        created_at=time(fields.get("createdAt"), below(path, "createdAt")),
        files=read_files(fields.get("files"), below(path, "files"), content),
        original=read_original(fields.get("original"), below(path, "original"), take),
    )
    if message.role == "reasoning" and message.files:
        raise CodecError(below(path, "files"), "a message of role reasoning cannot have files")
    return message


def each(messages: Iterable[AgentMessage | Mapping[str, object]]) -> Iterator[tuple[str, Any]]:
    """Yields the messages of a batch, each with its path.

    Raises:
        TypeError: The argument is a single message.
    """
    if isinstance(messages, AgentMessage | Mapping):
        raise TypeError("this takes several messages: put the message into a list")
    for index, message in enumerate(messages):
        yield f"messages[{index}]", message


def to_json(message: AgentMessage) -> dict[str, Any]:
    """Returns the JSON form, without absent fields. `args` and `blocks` are the message's own, not copies."""
    form: dict[str, Any] = {}
    if isinstance(message, StoredMessage):
        form["seq"] = message.seq
        form["at"] = to_timestamp(message.at)
    form["role"] = message.role
    form["content"] = message.content
    if message.name is not None:
        form["name"] = message.name
    if message.tool_calls:
        form["toolCalls"] = calls_to_json(message)
    if message.tool_call_id is not None:
        form["toolCallId"] = message.tool_call_id
    if message.origin is not None:
        form["origin"] = message.origin
    if message.created_at is not None:
        form["createdAt"] = to_timestamp(message.created_at)
    if message.files:
        form["files"] = [file_to_json(file) for file in message.files]
    if message.original is not None:
        form["original"] = original_to_json(message.original)
    return form


def calls_to_json(message: AgentMessage) -> list[dict[str, Any]]:
    """Returns the message's tool calls in their JSON form. `args` are the message's own, not a copy."""
    return [{"id": call.id, "name": call.name, "args": call.args} for call in message.tool_calls]


def to_line(message: AgentMessage) -> str:
    """Writes the message as one line of JSON text."""
    return dumps(to_json(message))


def from_line(line: str, *, seq: int, at: datetime) -> StoredMessage:
    """Returns the message that `to_line` wrote, stored as number `seq` at the time `at`."""
    form = json.loads(line)
    return StoredMessage(
        role=form["role"],
        content=form["content"],
        name=form.get("name"),
        tool_calls=tuple(ToolCall(**call) for call in form.get("toolCalls", ())),
        tool_call_id=form.get("toolCallId"),
        origin=form.get("origin"),
        created_at=datetime.fromisoformat(form["createdAt"]) if "createdAt" in form else None,
        files=tuple(file_from_json(file) for file in form.get("files", ())),
        original=original_from_json(form["original"]) if "original" in form else None,
        seq=seq,
        at=at,
    )


def digest(messages: Iterable[AgentMessage]) -> str:
    """Returns a hash that is equal for batches with equal content. The order of keys does not count."""
    text = json.dumps([to_json(message) for message in messages], sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def _refuse_foreign(form: object, path: str) -> None:
    """Refuses the message of another library or several messages, and says what to do with them."""
    if isinstance(form, list | tuple):
        raise CodecError(path, f"must be an object, not {kind_of(form)}: give several messages to append_many")
    if fields_of(form) is not None:
        readers = "from_openai, from_anthropic, from_bedrock or from_langchain"
        raise CodecError(path, f"must be an object, not {kind_of(form)}: convert it with {readers}")
    for field, ours in _OF_OPENAI.items():
        if isinstance(form, Mapping) and field in form:
            raise CodecError(below(path, field), f"unknown field: use {ours}, or convert the message with from_openai")


def _fields_of(message: AgentMessage, path: str) -> dict[str, Any]:
    """Returns the JSON form of a value that is not checked yet. Its files and its original stay values."""
    if type(message.tool_calls) is not tuple:
        refuse_kind(message.tool_calls, below(path, "toolCalls"), "a tuple of ToolCall")
    for index, call in enumerate(message.tool_calls):
        if type(call) is not ToolCall:
            refuse_kind(call, f"{below(path, 'toolCalls')}[{index}]", "a ToolCall")
    return {
        "role": message.role,
        "content": message.content,
        "name": message.name,
        "toolCalls": calls_to_json(message),
        "toolCallId": message.tool_call_id,
        "origin": message.origin,
        "createdAt": message.created_at,
        "files": message.files,
        "original": message.original,
    }


def _tool_calls(value: object, path: str, take: Take) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    calls = require(value, path, list)
    return tuple(_tool_call(call, f"{path}[{index}]", take) for index, call in enumerate(calls))


def _tool_call(value: object, path: str, take: Take) -> ToolCall:
    fields = require_object(value, path, _CALL_FIELDS)
    if "args" not in fields:
        raise CodecError(below(path, "args"), "is missing: a call without arguments has {}")
    return ToolCall(
        id=text(fields, path, "id"),
        name=text(fields, path, "name"),
        args=take(fields["args"], (path, "args")),
    )
