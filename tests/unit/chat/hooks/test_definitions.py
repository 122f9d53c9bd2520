"""The definitions of JSON hooks: the events that call them, and their actions."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from messagelog import ToolCall

from tests.support.hooks import Streamed
from tests.support.json_hooks import LOG, JsonHookChat, queue


@pytest.fixture
def chat(tmp_path: Path) -> JsonHookChat:
    return JsonHookChat(tmp_path)


def test_a_chat_hook_has_roles_a_pattern_and_a_limit(chat: JsonHookChat) -> None:
    definition = {"target": "chat", "roles": ["assistant"], "regex": "not sure", "maxTriggers": 2}
    assert chat.load({**definition, "actions": [queue("Try again.")]}) == []
    chat.say("not sure", "user")
    chat.say("sure", "assistant")
    assert chat.queued() == []
    for _ in range(3):
        chat.say("I am not sure", "assistant")
    assert [message.content for message in chat.queued()] == ["Try again."] * 2


def test_queue_message_fills_in_the_content(chat: JsonHookChat) -> None:
    actions = [queue("{{content}}? {{content}}! {{other}}"), queue("so", "assistant"), queue("hm", "reasoning")]
    chat.load({"target": "chat", "actions": actions})
    chat.say("say {{content}} \\1")
    assert [(m.role, m.content, m.origin) for m in chat.queued()] == [
        ("user", "say {{content}} \\1? say {{content}} \\1! {{other}}", "hook"),
        ("assistant", "so", "hook"),
        ("reasoning", "hm", "hook"),
    ]


def test_log_writes_label_role_and_seq_and_never_content(chat: JsonHookChat, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    for target in ("chat", "stream"):
        chat.write(f"{target}.json", {"target": target, "label": "watch", "actions": [LOG, "log"]})
    chat.load({"target": "tool", "label": "watch", "actions": [LOG]})
    chat.say("the-users-own-words", seq=42)
    chat.hooks.emit_stream(Streamed("content", "the-users-own-words"))
    chat.hooks.emit_tool(
        "after", ToolCall("t1", "the-users-own-words", {"the-users-own-words": 1}), "the-users-own-words"
    )
    assert [record.getMessage() for record in caplog.records] == [
        *["watch role=user seq=42"] * 2,
        *["watch stream content"] * 2,
        "watch tool after",
    ]
    assert "the-users-own-words" not in repr([vars(record) for record in caplog.records])


def test_interrupt_and_queue_resend_reach_the_send(chat: JsonHookChat) -> None:
    actions = [{"type": "interrupt"}, {"type": "interrupt", "resend": True}, {"type": "queue-resend"}]
    chat.load({"target": "stream", "event": "content", "regex": "secret", "actions": actions})
    chat.hooks.emit_stream(Streamed("content", "no"))
    chat.hooks.emit_stream(Streamed("reasoning", "secret"))
    assert chat.controlled == []
    chat.hooks.emit_stream(Streamed("content", "the secret"))
    assert chat.controlled == ["interrupt False", "interrupt True", "queue_resend"]


def test_a_stream_hook_takes_one_kind_a_list_or_all(chat: JsonHookChat) -> None:
    actions = [{"type": "queue-resend"}]
    chat.load(
        {"target": "stream", "event": "finish", "actions": actions},
        {"target": "stream", "event": ["reasoning", "finish"], "actions": actions},
        {"target": "stream", "actions": actions},
    )
    counts = []
    for kind in ("content", "reasoning", "finish"):
        chat.controlled.clear()
        chat.hooks.emit_stream(Streamed(kind))  # type: ignore[arg-type]
        counts.append(len(chat.controlled))
    assert counts == [1, 2, 3]


@pytest.mark.parametrize(
    ("event", "called"), [({"event": "before"}, "before"), ({}, "after"), ({"event": "error"}, "error")]
)
def test_a_tool_hook_has_tools_and_a_phase(chat: JsonHookChat, event: dict[str, str], called: str) -> None:
    chat.load({"target": "tool", "tools": ["weather"], **event, "actions": [queue("{{content}}")]})
    texts = {"before": '{"city": "Berlin"}', "after": "22", "error": "no weather"}
    for name in ("weather", "greet"):
        call = ToolCall("t1", name, {"city": "Berlin"})
        chat.hooks.emit_tool("before", call)
        chat.hooks.emit_tool("after", call, "22")
        chat.hooks.emit_tool("error", call, RuntimeError("no weather"))
    assert [message.content for message in chat.queued()] == [texts[called]]


def test_a_hook_that_is_not_enabled_is_left_out(chat: JsonHookChat) -> None:
    assert chat.load({"target": "chat", "enabled": False, "actions": [queue("1")]}) == []
    chat.say("hi")
    assert chat.queued() == []
