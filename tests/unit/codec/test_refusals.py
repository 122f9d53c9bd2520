"""A value that would not come back equal is refused, with the path of the fault and without any content."""

from __future__ import annotations

import json
from collections import OrderedDict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, ToolCall, codec

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "the-users-own-words"


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Fraction(float):
    pass


class Array(list[Any]):
    pass


def calling(args: Any) -> AgentMessage:
    return AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),))


def nested(depth: int, *, as_list: bool = False) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if as_list else {"k": value}
    return value


def fault(value: Any, path: str = "") -> CodecError:
    with pytest.raises(CodecError) as caught:
        codec.parse(value, path)
    return caught.value


USER = {"role": "user", "content": "hi"}
CALL = {"id": "t1", "name": "f", "args": {}}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (None, ""),
        ("hi", ""),
        ([USER], ""),
        ({"content": "hi"}, "role"),
        ({"role": "user"}, "content"),
        ({**USER, "role": "robot"}, "role"),
        ({**USER, "role": "User"}, "role"),
        ({**USER, "role": None}, "role"),
        ({**USER, "role": Text("user")}, "role"),
        ({**USER, "content": None}, "content"),
        ({**USER, "content": 42}, "content"),
        ({**USER, "content": True}, "content"),
        ({**USER, "content": ["x"]}, "content"),
        ({**USER, "content": {"ok": True}}, "content"),
        ({**USER, "content": b"hi"}, "content"),
        ({**USER, "content": Text("hi")}, "content"),
        ({**USER, "content": "\ud800"}, "content"),
        ({**USER, "name": 1}, "name"),
        ({**USER, "name": "\udfff"}, "name"),
        ({**USER, "toolCallId": 7}, "toolCallId"),
        ({**USER, "toolCallId": Text("t1")}, "toolCallId"),
        ({**USER, "origin": "robot"}, "origin"),
        ({**USER, "origin": ""}, "origin"),
        ({**USER, "createdAt": ""}, "createdAt"),
        ({**USER, "createdAt": 1772366400}, "createdAt"),
        ({**USER, "createdAt": "2026-03-01T12:00:00Z"}, "createdAt"),
        ({**USER, "createdAt": "2026-03-01T12:00:00.000000+00:00"}, "createdAt"),
        ({**USER, "createdAt": "2026-02-30T12:00:00.000000Z"}, "createdAt"),
        ({**USER, "createdAt": "2026-03-01T12:00:00.00000\u0660Z"}, "createdAt"),
        ({**USER, "createdAt": Text("2026-03-01T12:00:00.000000Z")}, "createdAt"),
        ({**USER, "toolCalls": {}}, "toolCalls"),
        ({**USER, "toolCalls": ()}, "toolCalls"),
        ({**USER, "toolCalls": (CALL,)}, "toolCalls"),
        ({**USER, "toolCalls": Array([CALL])}, "toolCalls"),
        ({**USER, "toolCalls": [CALL, None]}, "toolCalls[1]"),
        ({**USER, "toolCalls": [{**CALL, "id": None}]}, "toolCalls[0].id"),
        ({**USER, "toolCalls": [{**CALL, "id": 1}]}, "toolCalls[0].id"),
        ({**USER, "toolCalls": [{**CALL, "name": None}]}, "toolCalls[0].name"),
        ({**USER, "toolCalls": [{"name": "f", "args": {}}]}, "toolCalls[0].id"),
        ({**USER, "toolCalls": [{"id": "t1", "args": {}}]}, "toolCalls[0].name"),
        ({**USER, "toolCalls": [{"id": "t1", "name": "f"}]}, "toolCalls[0].args"),
        ({**USER, "toolCalls": [CALL, {**CALL, "type": "function"}]}, "toolCalls[1].type"),
        ({**USER, "tool_calls": [CALL]}, "tool_calls"),
        ({**USER, "tool_call_id": "t1"}, "tool_call_id"),
        ({**USER, "refusal": None}, "refusal"),
        ({**USER, "two words": 1}, '["two words"]'),
        ({**USER, 1: 1}, ""),
        ({**USER, b"k": 1}, ""),
        ({**USER, None: 1}, ""),
        ({**USER, Text("name"): "Ann"}, ""),
        ({**USER, "toolCalls": [{**CALL, b"k": 1}]}, "toolCalls[0]"),
    ],
)
def test_an_invalid_message_is_refused_with_the_path(value: Any, path: str) -> None:
    assert fault(value).path == path


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (AgentMessage("robot", "hi"), "role"),  # type: ignore[arg-type]
        (AgentMessage("user", None), "content"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", name=1), "name"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", tool_call_id=1), "toolCallId"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", origin="robot"), "origin"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", created_at=datetime(2026, 3, 1)), "createdAt"),  # noqa: DTZ001
        (AgentMessage("user", "hi", created_at=AT.astimezone(timezone(timedelta(hours=2)))), "createdAt"),
        (AgentMessage("user", "hi", created_at=AT.date()), "createdAt"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", tool_calls={}), "toolCalls"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", tool_calls=(CALL,)), "toolCalls[0]"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", tool_calls=(ToolCall(1, "f", {}),)), "toolCalls[0].id"),  # type: ignore[arg-type]
        (AgentMessage("user", "hi", tool_calls=(ToolCall("t", 1, {}),)), "toolCalls[0].name"),  # type: ignore[arg-type]
    ],
)
def test_a_value_is_checked_like_its_json_form(message: AgentMessage, path: str) -> None:
    assert fault(message).path == path


NOT_JSON = [
    pytest.param(float("nan"), id="NaN"),
    pytest.param(float("inf"), id="Infinity"),
    pytest.param(float("-inf"), id="-Infinity"),
    pytest.param(b"x", id="bytes"),
    pytest.param(bytearray(b"x"), id="bytearray"),
    pytest.param({1}, id="set"),
    pytest.param(frozenset(), id="frozenset"),
    pytest.param((), id="tuple"),
    pytest.param(AT, id="datetime"),
    pytest.param(date(2026, 3, 1), id="date"),
    pytest.param(Decimal("0.1"), id="Decimal"),
    pytest.param(1j, id="complex"),
    pytest.param(object(), id="object"),
    pytest.param("\ud83d", id="half of a pair"),
    pytest.param(Text("x"), id="subclass of str"),
    pytest.param(Number(1), id="subclass of int"),
    pytest.param(Fraction(1), id="subclass of float"),
    pytest.param(Array(), id="subclass of list"),
    pytest.param(OrderedDict(a=1), id="subclass of dict"),
    pytest.param(MappingProxyType({}), id="another mapping"),
    pytest.param(10**4300, id="4301 digits"),
    pytest.param(-(10**4300), id="4301 digits, negative"),
]


@pytest.mark.parametrize("value", NOT_JSON)
def test_args_that_are_not_plain_json_are_refused_at_any_depth(value: Any) -> None:
    assert fault(calling(value)).path == "toolCalls[0].args"
    assert fault(calling({"score": value})).path == "toolCalls[0].args.score"
    assert fault(calling([1, {"deep": [value]}]), "messages[2]").path == "messages[2].toolCalls[0].args[1].deep[0]"
    assert fault({**USER, "toolCalls": [{**CALL, "args": {"two words": value}}]}).path == (
        'toolCalls[0].args["two words"]'
    )


@pytest.mark.parametrize("key", [1, 1.5, None, True, (), b"k", Text("k"), "\udc00"])
def test_a_key_that_is_not_plain_text_is_refused(key: Any) -> None:
    assert fault(calling({"outer": [{key: 1}]})).path == "toolCalls[0].args.outer[0]"


@pytest.mark.parametrize(
    ("key", "step"),
    [
        ("score", ".score"),
        ("a.b", '["a.b"]'),
        ("", '[""]'),
        ("1st", '["1st"]'),
        ('"', r'["\""]'),
        ("né", r'["n\u00e9"]'),
        ("k" * 100_000, f'["{"k" * 64}"]'),
    ],
)
def test_a_path_is_short_unambiguous_ascii_text(key: str, step: str) -> None:
    assert fault(calling({key: ()})).path == f"toolCalls[0].args{step}"


@pytest.mark.parametrize("as_list", [False, True])
def test_more_than_200_levels_are_refused(*, as_list: bool) -> None:
    codec.parse(calling(nested(200, as_list=as_list)))
    assert "200 levels" in fault(calling(nested(201, as_list=as_list))).reason


def test_a_value_that_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "200 levels" in fault(calling(loop)).reason


@pytest.mark.parametrize(
    "value",
    [
        {**USER, "role": SECRET},
        {**USER, "content": [SECRET]},
        {**USER, "name": {SECRET: 1}},
        {**USER, "content": SECRET + "\ud800"},
        {**USER, "origin": SECRET},
        {**USER, "content": SECRET, "toolCalls": [{**CALL, "args": {"k": (SECRET,)}}]},
        {**USER, "toolCalls": [{**CALL, "args": {"k": Text(SECRET)}}]},
        {**USER, "toolCalls": [{**CALL, "args": {(SECRET,): 1}}]},
        {**USER, "toolCalls": [SECRET]},
        SECRET,
    ],
)
def test_an_error_has_no_content(value: Any) -> None:
    error = fault(value)
    assert SECRET not in f"{error!r} {error}"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "true or false"),
        (1, "a number"),
        (1.5, "a number"),
        ([], "a list"),
        ({}, "an object"),
        (b"hi", "bytes"),
        (AT, "datetime"),
        (Text("hi"), "Text"),
    ],
)
def test_types_have_their_json_names_in_errors(value: Any, kind: str) -> None:
    assert fault({**USER, "content": value}).reason == f"must be text, not {kind}"


def test_an_error_is_a_value_error_with_path_and_reason() -> None:
    error = fault(calling(json.loads('{"score": NaN}')))
    assert str(error) == "toolCalls[0].args.score: is not a finite number"
    assert isinstance(error, ValueError)
