"""Messages on their way into a chat: tool calls, roles by name, and messages that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from messagelog import (
    AgentMessage,
    CodecError,
    MessageTooLargeError,
    ToolCall,
)
from messagelog.chat import Chat, ChatRole, Origin
from messagelog.chat.memory import MemoryChatState
from messagelog.memory import MemoryStorage


def new_chat() -> Chat:
    return Chat(MemoryStorage(), MemoryChatState())


def call(arguments: str, **fields: Any) -> dict[str, Any]:
    return {"id": "t1", "type": "function", "function": {"name": "f", "arguments": arguments}, **fields}


@pytest.mark.parametrize(
    "arguments",
    ["", "{", "no JSON", '{"a": 1, "a": 2}', '{"x": NaN}', '"text"', "null", '{"n": 1e400}', "[" * 5000, " {} x"],
)
def test_arguments_that_are_not_json_come_back_as_text(arguments: str) -> None:
    chat = new_chat()
    chat.assistant("", [call(arguments)])
    (kept,) = chat.messages()[0].tool_calls
    assert kept == ToolCall("t1", "f", arguments or {})
    (entry,) = chat.log.to_openai(faithful=True)
    assert entry["tool_calls"][0]["function"]["arguments"] == (arguments or "{}")


def test_tool_calls_are_taken_as_values_too_and_several_at_once() -> None:
    chat = new_chat()
    chat.assistant("", iter([ToolCall("t1", "f", {"q": 1}), call('{"q": 2}', id="t2"), call("[1]", id="t3")]))
    assert chat.messages()[0].tool_calls == (
        ToolCall("t1", "f", {"q": 1}),
        ToolCall("t2", "f", {"q": 2}),
        ToolCall("t3", "f", [1]),
    )


def test_tool_calls_of_the_openai_package_are_taken() -> None:
    from openai.types.chat import ChatCompletionMessageFunctionToolCall as Call

    chat = new_chat()
    chat.assistant("", [Call.model_validate(call('{"q": 1}'))])
    assert chat.messages()[0].tool_calls == (ToolCall("t1", "f", {"q": 1}),)


@pytest.mark.parametrize(
    ("calls", "path"),
    [
        (["text"], "toolCalls[0]"),
        ([call("{}"), {"id": "t1", "name": "f", "args": {}}], "toolCalls[1]"),
        ([call("{}", id=1)], "toolCalls[0].id"),
        ([{"id": "t1", "function": {"arguments": "{}"}}], "toolCalls[0].function.name"),
        ([{"id": "t1", "function": None}], "toolCalls[0]"),
        ([ToolCall("t1", "f", {"x": float("nan")})], "toolCalls[0].args.x"),
    ],
)
def test_a_wrong_tool_call_is_refused_with_its_path(calls: Any, path: str) -> None:
    chat = new_chat()
    with pytest.raises(CodecError) as caught:
        chat.assistant("", calls)
    assert (caught.value.path, chat.log.count()) == (path, 0)


@pytest.mark.parametrize(
    ("add", "path"),
    [
        (lambda chat: chat.user(1), "content"),
        (lambda chat: chat.user(None), "content"),
        (lambda chat: chat.assistant("\ud800"), "content"),
        (lambda chat: chat.tool("result", None), "toolCallId"),
        (lambda chat: chat.tool("result", ""), "toolCallId"),
        (lambda chat: chat.tool("result", 1), "toolCallId"),
        (lambda chat: chat.add_all([{"role": "tool", "content": "result"}]), "messages[0].toolCallId"),
        (lambda chat: chat.add_all([{"role": "narrator", "content": "x"}]), "messages[0].role"),
        (lambda chat: chat.add_all([AgentMessage("user", "x"), AgentMessage("narrator", "x")]), "messages[1].role"),
        (lambda chat: chat.add_all([AgentMessage("user", "x", origin="ghost")]), "messages[0].origin"),
        (lambda chat: chat.add_all(["text"]), "messages[0]"),
    ],
)
def test_a_wrong_message_is_refused_with_its_path(add: Callable[[Any], object], path: str) -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(seen.append)
    with pytest.raises(CodecError) as caught:
        add(chat)
    assert (caught.value.path, chat.log.count(), seen) == (path, 0, [])


def test_a_message_that_no_reply_could_carry_is_refused() -> None:
    chat = new_chat()
    with pytest.raises(MessageTooLargeError):
        chat.user("x" * 6_000_000)
    assert chat.log.count() == 0


def test_roles_and_origins_may_be_given_by_name() -> None:
    chat = new_chat()
    chat.add_all([AgentMessage(ChatRole.USER, "x", origin=Origin.HOOK)])  # type: ignore[arg-type]
    (message,) = chat.messages()
    assert (message.role, message.origin, type(message.role), type(message.origin)) == ("user", "hook", str, str)
