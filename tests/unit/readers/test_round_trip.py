"""A history that comes in and goes out again means the same: `to_x(from_x(h))` and h, for every x.

One thing changes on the way: arguments of OpenAI that are not a JSON object come out under the key `args`.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import convert_to_messages
from messagelog import AgentMessage, StoredMessage, codec
from messagelog.readers import from_anthropic, from_bedrock, from_langchain, from_openai
from messagelog.views.anthropic import to_anthropic
from messagelog.views.arguments import parsed
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai

from tests.providers.logs import broken_logs, interrupted_logs, stored, valid_logs

many = settings(max_examples=300, deadline=None)
any_log = st.one_of(broken_logs(), interrupted_logs(), valid_logs())
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(lambda text: f"«{text}»")
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
args = st.dictionaries(words, st.recursive(numbers | words | st.none(), st.lists, max_leaves=4), max_size=2)
no_object = st.sampled_from(
    ['{"a": 1', "look up Oslo", '{"a": 1, "a": 2}', '"text"', "null", "NaN", "[1e999]", "-0", "7"]
)


@st.composite
def rounds(draw: st.DrawFn) -> list[tuple[str, list[str], list[tuple[str, Any, list[str]]], str]]:
    """Rounds of a conversation: a text of the user in parts, calls with args and results in parts, and the answer."""
    found = []
    for number in range(draw(st.integers(0, 3))):
        calls = [
            (f"id_{number}_{index}", draw(args), draw(st.lists(words, min_size=1, max_size=2)))
            for index in range(draw(st.integers(0, 2)))
        ]
        found.append((draw(words), draw(st.lists(words, min_size=1, max_size=2)), calls, draw(words)))
    return found


def openai_history(talk: Any, arguments: list[str], in_parts: bool) -> list[dict[str, Any]]:
    """Returns the talk as Chat Completions messages. The first calls get the given `arguments` instead of args."""
    history: list[dict[str, Any]] = [{"role": "system", "content": "be brief"}]
    for thought, said, calls, answer in talk:
        functions = [
            {"name": "f", "arguments": arguments[i] if i < len(arguments) else json.dumps(value)}
            for i, (_, value, _) in enumerate(calls)
        ]
        history.append({"role": "user", "content": said if in_parts else "".join(said), "name": "ann"})
        if calls:
            tool_calls = [
                {"id": id, "type": "function", "function": function}
                for (id, _, _), function in zip(calls, functions, strict=True)
            ]
            history.append({"role": "assistant", "content": thought, "tool_calls": tool_calls})
        history += [{"role": "tool", "tool_call_id": id, "content": result} for id, _, result in calls]
        history.append({"role": "assistant", "content": answer})
    return [{**entry, "content": _parts(entry["content"])} for entry in history]


@given(rounds(), st.lists(no_object, max_size=3), st.booleans())
@many
def test_a_history_of_openai_means_the_same(talk: Any, arguments: list[str], in_parts: bool) -> None:
    history = openai_history(talk, arguments, in_parts)
    back = to_openai(through_the_log(from_openai(history)))
    assert [_openai_meaning(entry) for entry in back] == [_openai_meaning(entry) for entry in history]


@given(any_log)
@many
def test_a_view_of_openai_is_the_same_when_read_back(log: list[StoredMessage]) -> None:
    view = to_openai(log)
    again = to_openai(through_the_log(from_openai(view)))
    assert [_openai_meaning(entry) for entry in again] == [_openai_meaning(entry) for entry in view]


@given(rounds(), st.booleans())
@many
def test_a_history_of_anthropic_means_the_same(talk: Any, in_parts: bool) -> None:
    history: list[dict[str, Any]] = []
    for thought, said, calls, answer in talk:
        history.append({"role": "user", "content": _parts(said) if in_parts else "".join(said)})
        if calls:
            uses = [{"type": "tool_use", "id": id, "name": "f", "input": value} for id, value, _ in calls]
            results = [{"type": "tool_result", "tool_use_id": id, "content": _parts(result)} for id, _, result in calls]
            history.append({"role": "assistant", "content": [*_parts([thought]), *uses]})
            history.append({"role": "user", "content": results})
        history.append({"role": "assistant", "content": answer})
    back = to_anthropic(through_the_log(from_anthropic(history)))
    assert [_block_meaning(turn) for turn in back] == [_block_meaning(turn) for turn in history]


@given(rounds())
@many
def test_a_history_of_bedrock_means_the_same(talk: Any) -> None:
    def texts(parts: list[str]) -> list[dict[str, Any]]:
        return [{"text": part} for part in parts]

    history: list[dict[str, Any]] = []
    for thought, said, calls, answer in talk:
        history.append({"role": "user", "content": texts(said)})
        if calls:
            uses = [{"toolUse": {"toolUseId": id, "name": "f", "input": value}} for id, value, _ in calls]
            results = [{"toolResult": {"toolUseId": id, "content": texts(result)}} for id, _, result in calls]
            history.append({"role": "assistant", "content": [*texts([thought]), *uses]})
            history.append({"role": "user", "content": results})
        history.append({"role": "assistant", "content": texts([answer])})
    back = to_bedrock(through_the_log(from_bedrock(history)))
    assert [_block_meaning(turn) for turn in back] == [_block_meaning(turn) for turn in history]


@given(rounds())
@many
def test_a_history_of_langchain_is_the_same(talk: Any) -> None:
    history = [{"role": "system", "content": "be brief"}]
    for _, said, _, answer in talk:
        history += [{"role": "user", "content": "".join(said)}, {"role": "assistant", "content": answer}]
    assert to_langchain(through_the_log(from_langchain(convert_to_messages(history)))) == history


@given(rounds())
@many
def test_a_history_of_openai_survives_langchain(talk: Any) -> None:
    history = openai_history(talk, [], in_parts=False)
    for entry in history:
        entry["content"] = _text_of(entry["content"])
    back = to_openai(through_the_log(from_langchain(convert_to_messages(history))))
    assert [_openai_meaning(entry) for entry in back] == [_openai_meaning(entry) for entry in history]


def through_the_log(messages: list[AgentMessage]) -> list[StoredMessage]:
    """Returns the messages as a log gives them back. A message that it would refuse is an error here."""
    return stored([codec.parse(message) for message in messages])


def _parts(content: Any) -> Any:
    return content if isinstance(content, str) else [{"type": "text", "text": part} for part in content]


def _text_of(content: Any) -> str:
    """Returns the text of a content in one or several parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _openai_meaning(entry: dict[str, Any]) -> Any:
    calls = [
        (call["id"], call["function"]["name"], _meaning(call["function"]["arguments"]))
        for call in entry.get("tool_calls", ())
    ]
    return entry["role"], _text_of(entry["content"]), entry.get("name"), entry.get("tool_call_id"), calls


def _meaning(arguments: str) -> str:
    """Returns an object's keys and values in order, whatever the spacing. Other text counts as `{"args": text}`."""
    try:
        pairs = json.loads(arguments, object_pairs_hook=tuple)
    except ValueError:
        pairs = None
    if not arguments.startswith("{") or pairs is None:
        pairs = (("args", _value_of(arguments)),)
    return repr(pairs)


def _value_of(arguments: str) -> Any:
    """Returns the value that the log holds for arguments that are not an object."""
    value = parsed(arguments)
    return arguments if value is None or isinstance(value, str) else value


def _block_meaning(turn: dict[str, Any]) -> Any:
    """Returns the turn with its text joined and its results as text."""
    blocks = [{"text": turn["content"]}] if isinstance(turn["content"], str) else turn["content"]
    others = []
    for block in blocks:
        if block.get("type") == "tool_result":
            others.append((block["tool_use_id"], _text_of(block["content"])))
        elif "toolResult" in block:
            others.append((block["toolResult"]["toolUseId"], _text_of(block["toolResult"]["content"])))
        elif "text" not in block:
            others.append(block)
    return turn["role"], "".join(block.get("text", "") for block in blocks), repr(others)
