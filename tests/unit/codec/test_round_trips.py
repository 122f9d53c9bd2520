"""Every message that the codec accepts comes back exactly: from JSON, from a line and from an item."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from messagelog import AgentMessage, File, Original, StoredMessage, ToolCall, codec, strictjson
from messagelog.dynamodb import items
from messagelog.messages import ORIGINS, ROLES, JSONValue

from tests.support import strategies

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def exact(value: object) -> str:
    """A text that differs for values that are equal to Python: 1, 1.0 and True; 0.0 and -0.0; keys in another order."""
    return repr(value)


def calling(args: Any) -> AgentMessage:
    return AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),))


def nested(depth: int, *, as_list: bool = False) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if as_list else {"k": value}
    return value


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
    return items.from_item(items.to_item(message, message.at), message.seq)


@given(strategies.stored_messages)
def test_a_line_is_one_line_and_gives_back_the_same(message: StoredMessage) -> None:
    assert "\n" not in codec.to_line(message)
    assert exact(line_and_back(message)) == exact(message)


@given(strategies.stored_messages)
def test_an_item_gives_back_the_same(message: StoredMessage) -> None:
    assert exact(item_and_back(message)) == exact(message)


@given(strategies.stored_messages)
def test_the_result_of_a_read_can_be_appended_elsewhere(message: StoredMessage) -> None:
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
        files=(File("image/png", b"\x89PNG", name="a.png", offset=2), File("image/png", url="s3://b/k")),
        original=Original("openai", [{"refusal": None}], "gpt-6.2"),
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
        "files": [
            {"mediaType": "image/png", "data": "iVBORw==", "name": "a.png", "offset": 2},
            {"mediaType": "image/png", "url": "s3://b/k"},
        ],
        "original": {"api": "openai", "model": "gpt-6.2", "blocks": [{"refusal": None}]},
    }


def test_absent_fields_are_left_out_everywhere() -> None:
    message = StoredMessage(role="user", content="", seq=1, at=AT)
    assert codec.to_json(message) == {"seq": 1, "at": "2026-03-01T12:00:00.000000Z", "role": "user", "content": ""}
    assert items.to_item(message, AT) == {"at": {"N": "1772366400000000"}, "role": {"S": "user"}, "content": {"S": ""}}


def test_the_item_holds_the_calls_as_json_text() -> None:
    message = StoredMessage.of(calling({"b": 1.0, "a": "é"}), seq=1, at=AT)
    assert items.to_item(message, AT)["tool_calls"] == {"S": '[{"id":"t1","name":"f","args":{"b":1.0,"a":"é"}}]'}


@given(strategies.messages, strategies.messages)
def test_digests_are_equal_only_for_equal_content(one: AgentMessage, other: AgentMessage) -> None:
    assert codec.digest([one]) == codec.digest([codec.parse(one)])
    assert codec.digest([one, other]) != codec.digest([one])
    if exact(one) != exact(other) and one != other:
        assert codec.digest([one]) != codec.digest([other])


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), (0.0, -0.0), ("1", 1), ({}, []), (None, {})])
def test_similar_values_have_different_digests(one: Any, other: Any) -> None:
    assert codec.digest([calling(one)]) != codec.digest([calling(other)])


@pytest.mark.parametrize(
    ("message", "digest"),
    [
        (AgentMessage("user", "hi"), "5aced9397fc4a6ba78e47d642ce4949bc9ba17f05868fe28454432d93889f6e6"),
        (
            AgentMessage(
                "assistant",
                "let me look: é",
                name="ann",
                tool_calls=(ToolCall("t1", "find", {"q": [1, 1.0, None]}),),
                tool_call_id="t0",
                origin="model",
                created_at=datetime(2026, 2, 28, 23, 59, 59, 1, UTC),
            ),
            "5ca63e54f7c97de7cb9ccf908ef5c46880b06d171d9f36d222a202d0d4df8741",
        ),
    ],
)
def test_digests_are_those_of_version_0_1_0(message: AgentMessage, digest: str) -> None:
    """An append that another version stored under the same idempotency key is still recognised."""
    assert codec.digest([message]) == digest


def test_the_order_of_keys_does_not_change_a_digest() -> None:
    assert codec.digest([calling({"a": 1, "b": 2})]) == codec.digest([calling({"b": 2, "a": 1})])


@pytest.mark.parametrize("empty", ["name", "toolCallId"])
def test_empty_text_is_not_absence(empty: str) -> None:
    assert codec.to_json(codec.parse({"role": "user", "content": "", empty: ""}))[empty] == ""


@given(strategies.times)
def test_times_are_kept_and_written_to_the_microsecond(at: datetime) -> None:
    assert items.from_micros(items.micros(at)) == at
    text = codec.to_json(StoredMessage(role="user", content="", seq=1, at=at))["at"]
    assert len(text) == len("2026-03-01T12:00:00.000000Z")
    assert text.endswith("Z")
    assert datetime.fromisoformat(text) == at


@pytest.mark.parametrize("field", ["name", "toolCalls", "toolCallId", "origin", "createdAt", "files", "original"])
def test_null_means_that_an_optional_field_is_absent(field: str) -> None:
    assert codec.parse({"role": "user", "content": "hi", field: None}) == AgentMessage("user", "hi")


def test_a_zone_without_an_offset_is_utc() -> None:
    gmt = AT.astimezone(timezone(timedelta(0), "GMT"))
    assert exact(codec.parse(AgentMessage("user", "hi", created_at=gmt)).created_at) == exact(AT)


@pytest.mark.parametrize("field", ["toolCalls", "files"])
def test_an_empty_list_means_that_the_field_is_absent(field: str) -> None:
    assert codec.to_json(codec.parse({"role": "user", "content": "hi", field: []})) == {"role": "user", "content": "hi"}


@pytest.mark.parametrize("ignored", [{"seq": 3}, {"at": "2026-03-01T12:00:00.000000Z"}, {"seq": "x", "at": [1]}])
def test_seq_and_at_are_ignored(ignored: dict[str, Any]) -> None:
    assert codec.parse({"role": "user", "content": "hi", **ignored}) == AgentMessage("user", "hi")


@pytest.mark.parametrize("kind", [dict, OrderedDict, MappingProxyType])
def test_any_mapping_can_be_the_json_form(kind: type[Mapping[str, object]]) -> None:
    form: Mapping[str, object] = kind({"role": "user", "content": "hi"})  # type: ignore[call-arg]
    assert codec.parse(form) == AgentMessage("user", "hi")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("origin", ORIGINS)
def test_each_role_and_origin_is_accepted(role: str, origin: str) -> None:
    message = codec.parse({"role": role, "content": "hi", "origin": origin})
    assert (message.role, message.origin) == (role, origin)


@pytest.mark.parametrize("as_list", [False, True])
def test_200_levels_are_kept(*, as_list: bool) -> None:
    deepest = StoredMessage.of(codec.parse(calling(nested(200, as_list=as_list))), seq=1, at=AT)
    assert line_and_back(deepest) == deepest
    assert item_and_back(deepest) == deepest


def test_4300_digits_are_kept() -> None:
    numbers: list[JSONValue] = [10**4300 - 1, 1 - 10**4300]
    stored = StoredMessage.of(codec.parse(calling(numbers)), seq=1, at=AT)
    assert line_and_back(stored).tool_calls[0].args == numbers
