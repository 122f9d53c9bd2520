"""The requests and replies of the OpenAI provider, against a server over real HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from messagelog import StoredMessage, ToolCall
from messagelog.chat.providers import ContentDelta, Finish, ReasoningDelta, ToolCallDelta

from tests.support.asking import ASKED, WEATHER, events_of
from tests.support.chat_server import ChatServer, Chunked, Reply, Silent


def test_text_reasoning_and_calls_come_as_streamed(server: ChatServer) -> None:
    reply = Reply("Ahoy!", calls=[("c1", "get_weather", '{"city": "Köln"}')], thinking="Hm.")
    assert events_of(server, reply) == [
        ReasoningDelta("H"),
        ReasoningDelta("m."),
        ContentDelta("Ah"),
        ContentDelta("oy!"),
        ToolCallDelta(0, "c1", "get_weather", ""),
        ToolCallDelta(0, "", "", '{"city":'),
        ToolCallDelta(0, "", "", ' "Köln"}'),
        Finish("tool_calls"),
    ]


def test_events_come_while_the_model_still_speaks(server: ChatServer) -> None:
    server.script(Silent("Ahoy!"))
    stream = server.provider(timeout=60).stream(None, ASKED, [])
    assert next(stream) == ContentDelta("Ah")
    stream.close()  # type: ignore[attr-defined]


def test_the_request_holds_the_prompt_first_and_the_tools(server: ChatServer) -> None:
    events_of(server, Reply("x"), tools=[WEATHER], options={"temperature": 0})
    request = server.last_request
    assert request["messages"] == [{"role": "system", "content": "Be brief."}, *ASKED]
    function = {"name": "get_weather", "description": "The weather of a city.", "parameters": {"type": "object"}}
    assert request["tools"] == [{"type": "function", "function": function}]
    assert (request["model"], request["stream"], request["temperature"]) == ("m", True, 0)


def test_without_prompt_and_tools_neither_is_sent(server: ChatServer) -> None:
    server.script(Reply("x"))
    list(server.provider().stream(None, ASKED, []))
    assert server.last_request["messages"] == ASKED
    assert "tools" not in server.last_request


def test_the_forms_of_other_servers_are_read(server: ChatServer) -> None:
    """Thinking as `reasoning`, a refusal, a call without an index, a chunk that only counts tokens, one of nothing."""
    deltas: list[dict[str, Any]] = [
        {"reasoning": "hm"},
        {"refusal": "no"},
        {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"content": None, "tool_calls": None},
    ]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks += [{"choices": [{"index": 0, "finish_reason": "stop"}]}, {"choices": [], "usage": {"total_tokens": 1}}]
    chunks += [{"choices": None}, {}]
    assert events_of(server, Chunked([json.dumps(chunk) for chunk in chunks])) == [
        ReasoningDelta("hm"),
        ContentDelta("no"),
        ToolCallDelta(0, "c", "f", "{}"),
        Finish("stop"),
    ]


def test_the_view_is_openais(server: ChatServer) -> None:
    at = datetime.now(UTC)
    messages = [
        StoredMessage("user", "weather?", seq=1, at=at),
        StoredMessage("reasoning", "hm", seq=2, at=at),
        StoredMessage("assistant", "", tool_calls=(ToolCall("c1", "get_weather", {}),), seq=3, at=at),
    ]
    assert [entry["role"] for entry in server.provider().view(messages)] == ["user", "assistant"]


def chunked(*deltas: dict[str, Any], finish: str = "stop") -> Chunked:
    """A reply of these deltas."""
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return Chunked([json.dumps(chunk) for chunk in [*chunks, {"choices": [{"index": 0, "finish_reason": finish}]}]])


def test_a_content_list_holds_thinking_and_text(server: ChatServer) -> None:
    """Mistral's reasoning models send it."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [thinking, {"type": "text", "text": "so"}, {"type": "reference", "reference_ids": [1]}]
    assert events_of(server, chunked({"content": parts})) == [ReasoningDelta("hm"), ContentDelta("so"), Finish("stop")]


def test_the_older_function_call_is_a_call(server: ChatServer) -> None:
    deltas = [{"function_call": {"name": "f", "arguments": ""}}, {"function_call": {"arguments": "{}"}}]
    assert events_of(server, chunked(*deltas, finish="function_call")) == [
        ToolCallDelta(0, "", "f", ""),
        ToolCallDelta(0, "", "", "{}"),
        Finish("function_call"),
    ]


def test_calls_of_one_chunk_without_an_index_are_told_apart(server: ChatServer) -> None:
    calls = [{"function": {"name": name, "arguments": ""}} for name in "fg"]
    assert events_of(server, chunked({"tool_calls": calls}))[:2] == [
        ToolCallDelta(0, "", "f", ""),
        ToolCallDelta(1, "", "g", ""),
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_only_the_first_choice_counts(server: ChatServer, first: int) -> None:
    def choice(index: int, text: str, finish: str | None = None) -> dict[str, Any]:
        return {"index": index, "delta": {"content": text}, "finish_reason": finish}

    other = 1 - first
    chunks = [
        {"choices": [choice(first, "a"), choice(other, "x")]},
        {"choices": [choice(other, "y", "length")]},
        {"choices": [choice(other, "z"), choice(first, "b")]},
        {"choices": [choice(first, "", "stop")]},
    ]
    reply = Chunked([json.dumps(chunk) for chunk in chunks])
    assert events_of(server, reply) == [ContentDelta("a"), ContentDelta("b"), Finish("stop")]


def test_tools_of_the_options_follow_the_chats_tools(server: ChatServer) -> None:
    theirs = {"type": "function", "function": {"name": "theirs", "parameters": {}}}
    options = {"tools": [theirs], "tool_choice": "required"}
    for tools, names in (([WEATHER], ["get_weather", "theirs"]), ([], ["theirs"])):
        events_of(server, Reply("x"), tools=tools, options=options)
        assert [tool["function"]["name"] for tool in server.last_request["tools"]] == names
        assert server.last_request["tool_choice"] == "required"


def test_a_tool_choice_without_tools_is_not_sent(server: ChatServer) -> None:
    events_of(server, Reply("x"), options={"tool_choice": "required", "parallel_tool_calls": False, "seed": 1})
    assert server.last_request.keys() == {"model", "messages", "stream", "seed"}


@pytest.mark.parametrize("name", ["model", "messages", "stream"])
def test_options_must_not_hold_a_field_of_the_provider(server: ChatServer, name: str) -> None:
    with pytest.raises(ValueError, match=f"must not hold '{name}'"):
        server.provider(options={name: "x"})
