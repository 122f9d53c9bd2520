"""What the codec takes comes back exactly, as JSON, as a line and as an item; the rest is refused with its path."""

from __future__ import annotations

import copy
import json
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from messagelog import AgentMessage, CodecError, StoredMessage, ToolCall, codec, strictjson
from messagelog.messages import ORIGINS, ROLES, JSONValue

from tests import strategies

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


def exact(value: object) -> str:
    """A text that differs for values that `==` takes for equal: 1, 1.0 and True, 0.0 and -0.0, keys in other orders."""
    return repr(value)


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


@given(strategies.messages)
def test_a_value_comes_back_exactly_from_its_json_form(message: AgentMessage) -> None:
    assert exact(codec.parse(codec.to_json(message))) == exact(message)


@given(strategies.messages)
def test_a_value_comes_back_exactly_from_json_text(message: AgentMessage) -> None:
    text = strictjson.dumps(codec.to_json(message))
    assert exact(codec.parse(strictjson.loads(text, max_levels=250))) == exact(message)  # type: ignore[arg-type]


@given(strategies.messages)
def test_a_value_that_is_checked_stays_the_same(message: AgentMessage) -> None:
    assert exact(codec.parse(message)) == exact(message)


def line_and_back(message: StoredMessage) -> StoredMessage:
    return codec.from_line(codec.to_line(message), seq=message.seq, at=message.at)


def item_and_back(message: StoredMessage) -> StoredMessage:
    return codec.from_item(codec.to_item(message, message.at), message.seq)


@given(strategies.stored_messages)
def test_a_line_is_one_line_and_gives_back_the_same(message: StoredMessage) -> None:
    assert "\n" not in codec.to_line(message)
    assert exact(line_and_back(message)) == exact(message)


@given(strategies.stored_messages)
def test_an_item_gives_back_the_same(message: StoredMessage) -> None:
    assert exact(item_and_back(message)) == exact(message)


@given(strategies.stored_messages)
def test_what_a_read_returned_can_be_appended_elsewhere(message: StoredMessage) -> None:
    plain = codec.parse(message)
    assert type(plain) is AgentMessage
    assert exact(codec.parse(codec.to_json(message))) == exact(plain)


@given(strategies.json_values)
def test_the_callers_object_is_not_kept(args: JSONValue) -> None:
    before = copy.deepcopy(args)
    kept = codec.parse(calling(args)).tool_calls[0].args
    clear(args)
    assert exact(kept) == exact(before)


def clear(value: object) -> None:
    """Empties every list and dict in the value."""
    if isinstance(value, list | dict):
        for inner in list(value.values() if isinstance(value, dict) else value):
            clear(inner)
        value.clear()


def test_the_json_form() -> None:
    message = StoredMessage(
        role="assistant",
        content="hi",
        name="ann",
        tool_calls=(ToolCall("t1", "find", {"q": None}),),
        tool_call_id="t0",
        origin="model",
        created_at=datetime(2026, 2, 28, 23, 59, 59, 1, UTC),
        seq=7,
        at=AT,
    )
    assert codec.to_json(message) == {
        "seq": 7,
        "at": "2026-03-01T12:00:00.000000Z",
        "role": "assistant",
        "content": "hi",
        "name": "ann",
        "toolCalls": [{"id": "t1", "name": "find", "args": {"q": None}}],
        "toolCallId": "t0",
        "origin": "model",
        "createdAt": "2026-02-28T23:59:59.000001Z",
    }


def test_absent_fields_are_left_out_of_the_json_form_and_of_the_item() -> None:
    message = StoredMessage(role="user", content="", seq=1, at=AT)
    assert codec.to_json(message) == {"seq": 1, "at": "2026-03-01T12:00:00.000000Z", "role": "user", "content": ""}
    assert codec.to_item(message, AT) == {"at": {"N": "1772366400000000"}, "role": {"S": "user"}, "content": {"S": ""}}


def test_the_item_holds_the_calls_as_json_text() -> None:
    message = StoredMessage.of(calling({"b": 1.0, "a": "é"}), seq=1, at=AT)
    assert codec.to_item(message, AT)["tool_calls"] == {"S": '[{"id":"t1","name":"f","args":{"b":1.0,"a":"é"}}]'}


@given(strategies.messages, strategies.messages)
def test_equal_content_has_one_digest_and_other_content_another(one: AgentMessage, other: AgentMessage) -> None:
    assert codec.digest([one]) == codec.digest([codec.parse(one)])
    assert codec.digest([one, other]) != codec.digest([one])
    if exact(one) != exact(other) and one != other:
        assert codec.digest([one]) != codec.digest([other])


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), (0.0, -0.0), ("1", 1), ({}, []), (None, {})])
def test_a_digest_tells_values_apart_that_look_alike(one: Any, other: Any) -> None:
    assert codec.digest([calling(one)]) != codec.digest([calling(other)])


def test_the_order_of_keys_does_not_change_a_digest() -> None:
    assert codec.digest([calling({"a": 1, "b": 2})]) == codec.digest([calling({"b": 2, "a": 1})])


@pytest.mark.parametrize("empty", ["name", "toolCallId"])
def test_empty_text_is_not_absence(empty: str) -> None:
    assert codec.to_json(codec.parse({"role": "user", "content": "", empty: ""}))[empty] == ""


@given(strategies.times)
def test_time_is_kept_to_the_microsecond_and_always_written_alike(at: datetime) -> None:
    assert codec.from_micros(codec.micros(at)) == at
    text = codec.to_json(StoredMessage(role="user", content="", seq=1, at=at))["at"]
    assert len(text) == len("2026-03-01T12:00:00.000000Z")
    assert text.endswith("Z")
    assert datetime.fromisoformat(text) == at


@pytest.mark.parametrize("field", ["name", "toolCalls", "toolCallId", "origin", "createdAt"])
def test_null_for_an_optional_field_is_absence(field: str) -> None:
    assert codec.parse({"role": "user", "content": "hi", field: None}) == AgentMessage("user", "hi")


def test_a_time_of_no_offset_is_one_in_utc_whatever_its_zone_is_called() -> None:
    gmt = AT.astimezone(timezone(timedelta(0), "GMT"))
    assert exact(codec.parse(AgentMessage("user", "hi", created_at=gmt)).created_at) == exact(AT)


def test_no_calls_are_absence_too() -> None:
    assert codec.to_json(codec.parse({"role": "user", "content": "hi", "toolCalls": []})) == codec.to_json(
        AgentMessage("user", "hi")
    )


@pytest.mark.parametrize("ignored", [{"seq": 3}, {"at": "2026-03-01T12:00:00.000000Z"}, {"seq": "x", "at": [1]}])
def test_seq_and_at_are_ignored(ignored: dict[str, Any]) -> None:
    assert codec.parse({"role": "user", "content": "hi", **ignored}) == AgentMessage("user", "hi")


@pytest.mark.parametrize("kind", [dict, OrderedDict, MappingProxyType])
def test_any_mapping_is_taken_for_the_json_form(kind: type[Mapping[str, object]]) -> None:
    form: Mapping[str, object] = kind({"role": "user", "content": "hi"})  # type: ignore[call-arg]
    assert codec.parse(form) == AgentMessage("user", "hi")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("origin", ORIGINS)
def test_each_role_and_origin_is_taken(role: str, origin: str) -> None:
    message = codec.parse({"role": role, "content": "hi", "origin": origin})
    assert (message.role, message.origin) == (role, origin)


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
        ({"role": "user", "content": "hi", 1: 1}, "[1]"),
    ],
)
def test_a_message_that_is_none_is_refused_with_the_path(value: Any, path: str) -> None:
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
def test_args_that_would_not_come_back_equal_are_refused_wherever_they_stand(value: Any) -> None:
    assert fault(calling(value)).path == "toolCalls[0].args"
    assert fault(calling({"score": value})).path == "toolCalls[0].args.score"
    assert fault(calling([1, {"deep": [value]}]), "messages[2]").path == "messages[2].toolCalls[0].args[1].deep[0]"
    assert fault({**USER, "toolCalls": [{**CALL, "args": {"two words": value}}]}).path == (
        'toolCalls[0].args["two words"]'
    )


@pytest.mark.parametrize("key", [1, 1.5, None, True, (), b"k", Text("k"), "\udc00"])
def test_keys_that_are_not_plain_text_are_refused_at_their_object(key: Any) -> None:
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
def test_a_path_names_each_key_without_doubt_in_short_ascii_text(key: str, step: str) -> None:
    assert fault(calling({key: ()})).path == f"toolCalls[0].args{step}"


@pytest.mark.parametrize("as_list", [False, True])
def test_200_levels_are_kept_and_one_more_is_refused(*, as_list: bool) -> None:
    deepest = StoredMessage.of(codec.parse(calling(nested(200, as_list=as_list))), seq=1, at=AT)
    assert line_and_back(deepest) == deepest
    assert item_and_back(deepest) == deepest
    assert "200 levels" in fault(calling(nested(201, as_list=as_list))).reason


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "200 levels" in fault(calling(loop)).reason


def test_4300_digits_are_kept() -> None:
    numbers: list[JSONValue] = [10**4300 - 1, 1 - 10**4300]
    stored = StoredMessage.of(codec.parse(calling(numbers)), seq=1, at=AT)
    assert line_and_back(stored).tool_calls[0].args == numbers


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
def test_an_error_holds_no_content(value: Any) -> None:
    error = fault(value)
    assert SECRET not in f"{error!r} {error}"


def test_an_error_reads_path_then_reason_and_is_a_value_error() -> None:
    error = fault(calling(json.loads('{"score": NaN}')))
    assert str(error) == "toolCalls[0].args.score: is not a finite number"
    assert isinstance(error, ValueError)
