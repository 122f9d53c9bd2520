"""The message queue: what it takes, and that it takes nothing that would stand in the way of a send."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, MessageTooLargeError, ToolCall
from messagelog.chat import ChatRole, HookMessageWriter, MessageQueue, Origin
from messagelog.chat.memory import MemoryChatState
from messagelog.strictjson import loads


def queued(state: MemoryChatState) -> list[AgentMessage]:
    return [staged.message for staged in state.staged(limit=1000)]


def test_each_method_queues_its_role_with_origin_and_time() -> None:
    state, before = MemoryChatState(), datetime.now(UTC)
    queue = MessageQueue(state)
    queue.user("u")
    queue.assistant("a", [{"id": "t1", "type": "function", "function": {"name": "f", "arguments": '{"q": 1}'}}])
    queue.tool("t", "t1")
    queue.reasoning("r")
    messages = queued(state)
    assert [(m.role, m.content, m.origin) for m in messages] == [
        ("user", "u", "user"),
        ("assistant", "a", "model"),
        ("tool", "t", "tool"),
        ("reasoning", "r", "model"),
    ]
    assert messages[1].tool_calls == (ToolCall("t1", "f", {"q": 1}),)
    assert messages[2].tool_call_id == "t1"
    assert all(before <= message.created_at <= datetime.now(UTC) for message in messages if message.created_at)
    assert all(message.created_at for message in messages)


def test_the_hook_writer_queues_with_the_origin_it_is_given() -> None:
    state = MemoryChatState()
    writer = HookMessageWriter(MessageQueue(state))
    writer.user("u")
    writer.assistant("a", None, Origin.SYSTEM)
    writer.tool("t", "t1", Origin.TOOL)
    writer.reasoning("r", origin=Origin.USER)
    assert [(m.role, m.content, m.origin) for m in queued(state)] == [
        ("user", "u", "hook"),
        ("assistant", "a", "system"),
        ("tool", "t", "tool"),
        ("reasoning", "r", "user"),
    ]
    assert all(type(message.origin) is str for message in queued(state))


def test_a_whole_message_keeps_its_origin_and_time() -> None:
    state = MemoryChatState()
    queue = MessageQueue(state)
    queue.add(AgentMessage(ChatRole.USER, "value", name="ann", origin=Origin.HOOK))  # type: ignore[arg-type]
    queue.add({"role": "user", "content": "form", "createdAt": "2026-03-01T12:00:00.000000Z"})
    value, form = queued(state)
    assert (value.role, value.name, value.origin) == ("user", "ann", "hook")
    assert form.created_at == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert form.origin == "user"


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ({"role": "system", "content": "x"}, "role"),
        ({"role": "narrator", "content": "x"}, "role"),
        ({"role": "tool", "content": "x"}, "toolCallId"),
        ({"role": "tool", "content": "x", "toolCallId": ""}, "toolCallId"),
        ({"role": "user", "content": 1}, "content"),
        (loads('{"role": "user", "content": "x", "content": "y"}', max_levels=9), "content"),
        ("text", ""),
    ],
)
def test_a_message_that_a_chat_refuses_is_not_queued(message: Any, path: str) -> None:
    state = MemoryChatState()
    with pytest.raises(CodecError) as caught:
        MessageQueue(state).add(message)
    assert caught.value.path == path
    assert queued(state) == []


def test_a_message_that_a_log_refuses_is_not_queued() -> None:
    state = MemoryChatState()
    with pytest.raises(MessageTooLargeError):
        MessageQueue(state).user("x" * 6_000_000)
    with pytest.raises(MessageTooLargeError):
        HookMessageWriter(MessageQueue(state)).user("x" * 6_000_000)
    assert queued(state) == []


def test_a_queued_message_shares_nothing_with_the_caller() -> None:
    state = MemoryChatState()
    args: Any = {"q": ["x"]}
    MessageQueue(state).assistant("", [ToolCall("t1", "f", args)])
    args["q"].append("LATER")
    found: Any = queued(state)[0].tool_calls[0].args
    found["q"].append("READER")
    assert queued(state)[0].tool_calls[0].args == {"q": ["x"]}
