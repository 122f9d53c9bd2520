"""Messages to JSON and back, exactly.

Input is checked so strictly that the output is equal to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any, cast

from messagelog.errors import CodecError
from messagelog.messages import ORIGINS, ROLES, AgentMessage, Origin, Role, StoredMessage, ToolCall
from messagelog.sdk_objects import fields_of
from messagelog.strictjson import below, copied, dumps, is_unicode, kind_of, refuse_kind, require_object

_MESSAGE_FIELDS = ("role", "content", "name", "toolCalls", "toolCallId", "origin", "createdAt")
_STORED_FIELDS = ("seq", "at")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_OF_OPENAI = {"tool_calls": "toolCalls", "tool_call_id": "toolCallId"}
_CALL_FIELDS = ("id", "name", "args")


def parse(value: AgentMessage | Mapping[str, object], path: str = "") -> AgentMessage:
    """Checks a message, given as a value or in its JSON form, and returns it as a value that shares nothing with it.

    In the JSON form `null` for an optional field is absence, and `seq` and `at` are ignored, so that what a read
    returned can be appended elsewhere. Raises CodecError with the path of the fault, below `path`.
    """
    form = _form_of(value, path) if isinstance(value, AgentMessage) else value
    _refuse_foreign(form, path)
    fields = require_object(form, path, (*_MESSAGE_FIELDS, *_STORED_FIELDS))
    return AgentMessage(
        role=cast(Role, _choice(fields, path, "role", ROLES)),
        content=_text(fields, path, "content"),
        name=_optional_text(fields, path, "name"),
        tool_calls=_tool_calls(fields.get("toolCalls"), below(path, "toolCalls")),
        tool_call_id=_optional_text(fields, path, "toolCallId"),
        origin=None if fields.get("origin") is None else cast(Origin, _choice(fields, path, "origin", ORIGINS)),
        created_at=_time(fields.get("createdAt"), below(path, "createdAt")),
    )


def each(messages: Iterable[AgentMessage | Mapping[str, object]]) -> Iterator[tuple[str, Any]]:
    """The messages of a batch, each with its path. Raises TypeError for a message that is in none."""
    if isinstance(messages, AgentMessage | Mapping):
        raise TypeError("this takes several messages: put the one into a list")
    for index, message in enumerate(messages):
        yield f"messages[{index}]", message


def to_json(message: AgentMessage) -> dict[str, Any]:
    """The JSON form, absent fields left out. `args` are the message's own, not a copy."""
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
    return form


def to_timestamp(at: datetime) -> str:
    """A time in JSON, as 2026-03-01T12:00:00.000000Z: always six digits, so that texts sort as the times do."""
    return at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def to_line(message: AgentMessage) -> str:
    """The message as one line of JSON text."""
    return dumps(to_json(message))


def from_line(line: str, *, seq: int, at: datetime) -> StoredMessage:
    """The message that `to_line` wrote, stored under this seq at this time."""
    form = json.loads(line)
    return StoredMessage(
        role=form["role"],
        content=form["content"],
        name=form.get("name"),
        tool_calls=tuple(ToolCall(**call) for call in form.get("toolCalls", ())),
        tool_call_id=form.get("toolCallId"),
        origin=form.get("origin"),
        created_at=datetime.fromisoformat(form["createdAt"]) if "createdAt" in form else None,
        seq=seq,
        at=at,
    )


def digest(messages: Iterable[AgentMessage]) -> str:
    """A hash by which two batches with the same content are known. The order of keys does not count."""
    text = json.dumps([to_json(message) for message in messages], sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def calls_to_json(message: AgentMessage) -> list[dict[str, Any]]:
    """The message's tool calls in their JSON form. `args` are the message's own, not a copy."""
    return [{"id": call.id, "name": call.name, "args": call.args} for call in message.tool_calls]


def _refuse_foreign(form: object, path: str) -> None:
    """Tells where a message of another library goes."""
    if fields_of(form) is not None:
        way_in = "from_openai, from_anthropic, from_bedrock or from_langchain makes messages of what a library gives"
        raise CodecError(path, f"must be an object, not {kind_of(form)}: {way_in}")
    for field, ours in _OF_OPENAI.items():
        if isinstance(form, Mapping) and field in form:
            raise CodecError(below(path, field), f"unknown field; it is {ours} here; from_openai takes OpenAI's")


def _form_of(message: AgentMessage, path: str) -> dict[str, Any]:
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
    }


def _tool_calls(value: object, path: str) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    if type(value) is not list:
        refuse_kind(value, path, "a list of tool calls")
    return tuple(_tool_call(call, f"{path}[{index}]") for index, call in enumerate(value))


def _tool_call(value: object, path: str) -> ToolCall:
    fields = require_object(value, path, _CALL_FIELDS)
    if "args" not in fields:
        raise CodecError(below(path, "args"), "is missing; for a call without arguments give {}")
    return ToolCall(
        id=_text(fields, path, "id"),
        name=_text(fields, path, "name"),
        args=copied(fields["args"], (path, "args"), 0),
    )


def _text(fields: Mapping[str, object], path: str, name: str) -> str:
    if name not in fields:
        raise CodecError(below(path, name), "is missing")
    value = fields[name]
    if type(value) is not str:
        refuse_kind(value, below(path, name), "text")
    if not is_unicode(value):
        raise CodecError(below(path, name), "holds a lone surrogate, which is no Unicode text")
    return value


def _optional_text(fields: Mapping[str, object], path: str, name: str) -> str | None:
    return None if fields.get(name) is None else _text(fields, path, name)


def _time(value: object, path: str) -> datetime | None:
    """A time is a datetime in UTC, or the text that `to_timestamp` makes of one."""
    if value is None:
        return None
    if type(value) is str and _TIMESTAMP.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            raise CodecError(path, "is no time of the calendar") from None
    if type(value) is datetime and value.utcoffset() == timedelta(0):
        return value.astimezone(UTC)
    raise CodecError(path, "must be a time in UTC, as 2026-03-01T12:00:00.000000Z")


def _choice(fields: Mapping[str, object], path: str, name: str, choices: Collection[str]) -> str:
    """One of the choices, as plain text: a member of a StrEnum, such as ChatRole, will do as well."""
    value = fields.get(name)
    text = value.value if isinstance(value, StrEnum) else _text(fields, path, name)
    if text not in choices:
        raise CodecError(below(path, name), f"must be one of {', '.join(choices)}")
    return text
