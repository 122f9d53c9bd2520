"""JSON hooks: files of a folder, what their actions do, and that a bad file is reported and skipped."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from messagelog import AgentMessage, StoredMessage, ToolCall
from messagelog.chat import HookMessageWriter, MessageQueue
from messagelog.chat.hooks.hooks import HookBuilder, Hooks, StreamKind
from messagelog.chat.hooks.json_hooks import JsonHooks
from messagelog.chat.memory import MemoryChatState

LOG = {"type": "log"}


@dataclass(frozen=True)
class Streamed:
    kind: StreamKind
    text: str = ""


class Chat:
    """Hooks, a queue, and a record of what was done to the send."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hooks = Hooks()
        self.state = MemoryChatState()
        self.controlled: list[str] = []
        self.json_hooks = JsonHooks(self.hooks, HookMessageWriter(MessageQueue(self.state)), self)

    def interrupt(self, resend: bool = False) -> None:
        self.controlled.append(f"interrupt {resend}")

    def queue_resend(self) -> None:
        self.controlled.append("queue_resend")

    def write(self, name: str, definition: object) -> None:
        text = definition if isinstance(definition, str) else json.dumps(definition)
        (self.folder / name).write_text(text, encoding="utf-8")

    def load(self, *definitions: object) -> list[str]:
        for number, definition in enumerate(definitions):
            self.write(f"{number}.json", definition)
        return [f"{fault.file}: {fault.reason}" for fault in self.json_hooks.load(self.folder)]

    def say(self, content: str, role: Any = "user", seq: int = 1) -> None:
        self.hooks.emit_message(StoredMessage(role=role, content=content, seq=seq, at=datetime.now(UTC)))

    def queued(self) -> list[AgentMessage]:
        return [staged.message for staged in self.state.staged(limit=1000)]


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    return Chat(tmp_path)


def queue(content: str, role: str = "user") -> dict[str, Any]:
    return {"type": "queue-message", "role": role, "content": content}


def test_a_chat_hook_has_roles_a_pattern_and_a_limit(chat: Chat) -> None:
    definition = {"target": "chat", "roles": ["assistant"], "regex": "not sure", "maxTriggers": 2}
    assert chat.load({**definition, "actions": [queue("Try again.")]}) == []
    chat.say("not sure", "user")
    chat.say("sure", "assistant")
    assert chat.queued() == []
    for _ in range(3):
        chat.say("I am not sure", "assistant")
    assert [message.content for message in chat.queued()] == ["Try again."] * 2


def test_queue_message_fills_in_the_content_and_has_the_origin_hook(chat: Chat) -> None:
    actions = [queue("{{content}}? {{content}}! {{other}}"), queue("so", "assistant"), queue("hm", "reasoning")]
    chat.load({"target": "chat", "actions": actions})
    chat.say("say {{content}} \\1")
    assert [(m.role, m.content, m.origin) for m in chat.queued()] == [
        ("user", "say {{content}} \\1? say {{content}} \\1! {{other}}", "hook"),
        ("assistant", "so", "hook"),
        ("reasoning", "hm", "hook"),
    ]


def test_log_writes_label_role_and_seq_and_never_content(chat: Chat, caplog: pytest.LogCaptureFixture) -> None:
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


def test_interrupt_and_queue_resend_reach_the_send(chat: Chat) -> None:
    actions = [{"type": "interrupt"}, {"type": "interrupt", "resend": True}, {"type": "queue-resend"}]
    chat.load({"target": "stream", "event": "content", "regex": "secret", "actions": actions})
    chat.hooks.emit_stream(Streamed("content", "no"))
    chat.hooks.emit_stream(Streamed("reasoning", "secret"))
    assert chat.controlled == []
    chat.hooks.emit_stream(Streamed("content", "the secret"))
    assert chat.controlled == ["interrupt False", "interrupt True", "queue_resend"]


def test_a_stream_hook_takes_one_kind_a_list_or_all(chat: Chat) -> None:
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
def test_a_tool_hook_has_tools_and_a_phase(chat: Chat, event: dict[str, str], called: str) -> None:
    chat.load({"target": "tool", "tools": ["weather"], **event, "actions": [queue("{{content}}")]})
    texts = {"before": '{"city": "Berlin"}', "after": "22", "error": "no weather"}
    for name in ("weather", "greet"):
        call = ToolCall("t1", name, {"city": "Berlin"})
        chat.hooks.emit_tool("before", call)
        chat.hooks.emit_tool("after", call, "22")
        chat.hooks.emit_tool("error", call, RuntimeError("no weather"))
    assert [message.content for message in chat.queued()] == [texts[called]]


def test_a_file_holds_one_definition_or_a_list_and_others_are_ignored(chat: Chat) -> None:
    chat.write("b.json", [{"target": "chat", "actions": [queue("2")]}, {"target": "chat", "actions": [queue("3")]}])
    chat.write("a.json", {"target": "chat", "actions": [queue("1")]})
    chat.write("c.json", [])
    chat.write("notes.txt", "no JSON")
    assert chat.load() == []
    chat.say("hi")
    assert [message.content for message in chat.queued()] == ["1", "2", "3"]


def test_a_hook_that_is_not_enabled_is_left_out(chat: Chat) -> None:
    assert chat.load({"target": "chat", "enabled": False, "actions": [queue("1")]}) == []
    chat.say("hi")
    assert chat.queued() == []


def test_loading_again_replaces_what_was_loaded_and_clear_ends_it(chat: Chat) -> None:
    others: list[object] = []
    HookBuilder(chat.hooks).message().do(others.append)
    for _ in range(2):
        chat.load({"target": "chat", "actions": [queue("1")]})
    chat.say("hi")
    assert len(chat.queued()) == 1
    chat.json_hooks.clear()
    chat.say("hi")
    assert (len(chat.queued()), len(others)) == (1, 2)


def test_a_folder_that_does_not_exist_is_reported(chat: Chat, caplog: pytest.LogCaptureFixture) -> None:
    missing = chat.folder / "missing"
    (fault,) = chat.json_hooks.load(missing)
    assert (fault.file, fault.reason) == (str(missing), "is no folder")
    assert str(missing) in caplog.text
    assert not missing.exists()


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ("no JSON", "Expecting value"),
        ('{"target": "chat", "target": "tool", "actions": ["log"]}', "target: this key stands twice"),
        ('{"target": "chat", "actions": [{"type": "log", "type": "log"}]}', "actions[0].type: this key stands twice"),
        ({"target": "chat", "actions": [queue("\ud800")]}, "actions[0].content: holds a lone surrogate"),
        ("[" * 10_000, "nested"),
        ("text", "Expecting value"),
        ([1], "[0]: must be an object"),
        ({"actions": [LOG]}, "target: must be one of chat, stream, tool"),
        ({"target": "chunks", "actions": [LOG]}, "target: must be one of chat, stream, tool"),
        ({"target": ["chat"], "actions": [LOG]}, "target: must be one of chat, stream, tool"),
        ({"target": "chat", "role": ["user"], "actions": [LOG]}, "role: unknown field"),
        ({"target": "chat", "roles": ["narrator"], "actions": [LOG]}, 'roles: "narrator" is no role'),
        ({"target": "chat", "roles": "user", "actions": [LOG]}, "roles: must be a list"),
        ({"target": "chat", "roles": [1], "actions": [LOG]}, "roles[0]: must be text"),
        ({"target": "chat", "regex": "(", "actions": [LOG]}, "regex: is no regular expression"),
        ({"target": "chat", "regex": 1, "actions": [LOG]}, "regex: must be text"),
        ({"target": "chat", "maxTriggers": 0, "actions": [LOG]}, "maxTriggers: max_triggers must be"),
        ({"target": "chat", "maxTriggers": "1", "actions": [LOG]}, "maxTriggers: max_triggers must be"),
        ({"target": "chat", "enabled": "no", "actions": [LOG]}, "enabled: must be true or false"),
        ({"target": "chat", "label": 1, "actions": [LOG]}, "label: must be text"),
        ({"target": "chat", "tools": [], "actions": [LOG]}, "tools: is for a hook on tool"),
        ({"target": "chat", "event": "after", "actions": [LOG]}, "event: is for a hook on stream or tool"),
        ({"target": "stream", "roles": [], "actions": [LOG]}, "roles: is for a hook on chat"),
        ({"target": "stream", "event": "after", "actions": [LOG]}, 'event: "after" is no kind of stream event'),
        ({"target": "tool", "event": "during", "actions": [LOG]}, "event: must be one of before, after, error"),
        ({"target": "tool", "event": ["after"], "actions": [LOG]}, "event: must be one of before, after, error"),
        ({"target": "chat"}, "actions: must be a list"),
        ({"target": "chat", "actions": []}, "actions: is empty"),
        ({"target": "chat", "actions": [1]}, "actions[0]: must be an object"),
        ({"target": "chat", "actions": [LOG, {}]}, "actions[1].type: must be one of log"),
        ({"target": "chat", "actions": ["print"]}, "actions[0].type: must be one of log"),
        ({"target": "chat", "actions": [{**LOG, "content": ""}]}, "actions[0].content: unknown field"),
        (
            {"target": "chat", "actions": [{"type": "interrupt", "resend": 1}]},
            "actions[0].resend: must be true or false",
        ),
        ({"target": "chat", "actions": [queue("x", "system")]}, "actions[0].role: must be one of user"),
        ({"target": "chat", "actions": ["queue-message"]}, "actions[0].role: must be one of user"),
        (
            {"target": "chat", "actions": [{"type": "queue-message", "role": "user"}]},
            "actions[0].content: must be text",
        ),
    ],
)
def test_a_bad_file_is_reported_and_skipped(
    chat: Chat, caplog: pytest.LogCaptureFixture, definition: Any, reason: str
) -> None:
    good = {"target": "chat", "actions": [queue("good")]}
    bad = (
        definition
        if isinstance(definition, str)
        else [good, *(definition if type(definition) is list else [definition])]
    )
    (fault,) = chat.load(good, bad, good)
    assert fault.startswith("1.json: ")
    assert reason.removeprefix("[0]") in fault
    assert fault.removeprefix("1.json: ") in caplog.text
    chat.say("hi")
    assert [message.content for message in chat.queued()] == ["good", "good"]


def test_files_that_cannot_be_read_are_reported(chat: Chat) -> None:
    (chat.folder / "a.json").mkdir()
    (chat.folder / "b.json").write_bytes(b"\xff")
    faults = chat.json_hooks.load(chat.folder)
    assert [fault.file for fault in faults] == ["a.json", "b.json"]
