"""The args of a tool call as text and as an object, never changed on the way."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import AgentMessage, StoredMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.arguments import as_object, as_object_text, as_text, parsed
from messagelog.views.bedrock import to_bedrock
from messagelog.views.openai import to_openai

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"a": 3, "b": 'q"uote'}, '{"a": 3, "b": "q\\"uote"}'),
        ({}, "{}"),
        (None, "{}"),
        ("", "{}"),
        (" \n", "{}"),
        ('{"a":1}', '{"a":1}'),
        ('"text"', '"text"'),
        ('{"a": 1', '{"a": 1'),
        ([1, 2.0], "[1, 2.0]"),
        ({"größe": "日本"}, '{"größe": "日本"}'),
        (0, "0"),
        (False, "false"),
    ],
)
def test_as_text(args: Any, text: str) -> None:
    assert as_text(args) == text


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"a": 3, "b": 'q"uote'}, '{"a": 3, "b": "q\\"uote"}'),
        ({}, "{}"),
        (None, "{}"),
        ("", "{}"),
        (" \n", "{}"),
        ('{"a":1}', '{"a":1}'),
        (' {"a": 1, "a": 2}\n', ' {"a": 1, "a": 2}\n'),
        ('{"a": 0.10000000000000000000000001}', '{"a": 0.10000000000000000000000001}'),
        ({"größe": "日本"}, '{"größe": "日本"}'),
        ('{"path": "a.txt", "text": "once upon', '{"args": "{\\"path\\": \\"a.txt\\", \\"text\\": \\"once upon"}'),
        ("look up Oslo", '{"args": "look up Oslo"}'),
        ('"text"', '{"args": "\\"text\\""}'),
        ("null", '{"args": "null"}'),
        ("[1]", '{"args": "[1]"}'),
        ([1, 2.0], '{"args": [1, 2.0]}'),
        (0, '{"args": 0}'),
        (False, '{"args": false}'),
        ('{"a": NaN}', '{"args": "{\\"a\\": NaN}"}'),
        ('{"a": 1e400}', '{"args": "{\\"a\\": 1e400}"}'),
        ('{"a": "\\ud800"}', '{"args": "{\\"a\\": \\"\\\\ud800\\"}"}'),
    ],
)
def test_as_object_text(args: Any, text: str) -> None:
    assert as_object_text(args) == text


@given(st.one_of(json_values, st.text(), json_values.map(json.dumps)))
def test_the_text_of_an_object_holds_an_object(args: Any) -> None:
    text = as_object_text(args)
    assert isinstance(json.loads(text), dict)
    assert as_object_text(text) == text


def test_text_that_nests_too_deep_goes_under_a_key() -> None:
    text = '{"a":' * 100_000
    assert json.loads(as_object_text(text)) == {"args": text}


@pytest.mark.parametrize(
    ("args", "value"),
    [
        ({"ok": True}, {"ok": True}),
        (None, {}),
        ("", {}),
        ('{"a": [1]}', {"a": [1]}),
        ("[1]", {"args": "[1]"}),
        ("abc", {"args": "abc"}),
        ([1, 2], {"args": [1, 2]}),
        (7, {"args": 7}),
        (0, {"args": 0}),
        (False, {"args": False}),
        ('{"a": 1, "a": 2}', {"args": '{"a": 1, "a": 2}'}),
    ],
)
def test_as_object(args: Any, value: dict[str, Any]) -> None:
    assert as_object(args) == value


@pytest.mark.parametrize("view", [to_anthropic, to_bedrock, to_openai], ids=lambda it: it.__name__)
@pytest.mark.parametrize("faithful", [False, True])
def test_a_view_shares_no_args_with_the_log(view: Any, faithful: bool) -> None:
    deepest: Any = {"b": 1}
    for _ in range(199):
        deepest = [deepest]
    args: dict[str, Any] = {"a": [{"b": []}], "deep": deepest}
    message = AgentMessage("assistant", "", tool_calls=(ToolCall("c", "f", args),))
    stored = StoredMessage.of(message, seq=1, at=datetime.now(UTC))
    before = copy.deepcopy(args)
    _spoil(view([stored], faithful=faithful))
    assert args == before


def _spoil(value: Any) -> None:
    """Changes every list and object inside the value."""
    if isinstance(value, dict | list):
        for item in list(value.values()) if isinstance(value, dict) else value:
            _spoil(item)
        value.clear()


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": 1}}',
        "NaN",
        "[-Infinity]",
        "1e400",
        "1e-400",
        "1e99999999999999999999",
        "0.10000000000000000000000001",
        "-0",
        "9" * 5000,
        '"\\ud800"',
        "[" * 201 + "]" * 201,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000,
    ],
    ids=lambda text: text[:20],
)
def test_text_that_parsing_would_change_stays_text(text: str) -> None:
    assert parsed(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("1.10", 1.1),
        ("1E2", 100.0),
        ("-0.0", -0.0),
        ("5e-324", 5e-324),
        (str(10**400), 10**400),
        ('"\\ud83d\\ude00"', "😀"),
        ("[" * 200 + "]" * 200, json.loads("[" * 200 + "]" * 200)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_other_text_is_parsed(text: str, value: Any) -> None:
    assert repr(parsed(text)) == repr(value)


@given(json_values)
def test_every_value_comes_back_from_its_text(value: Any) -> None:
    assert repr(parsed(json.dumps(value))) == repr(value)
