"""JSON hooks in the files of a folder: a bad file is reported and skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from messagelog.chat.hooks.builder import HookBuilder

from tests.support.json_hooks import LOG, JsonHookChat, queue


@pytest.fixture
def chat(tmp_path: Path) -> JsonHookChat:
    return JsonHookChat(tmp_path)


def test_a_file_holds_one_definition_or_a_list(chat: JsonHookChat) -> None:
    chat.write("b.json", [{"target": "chat", "actions": [queue("2")]}, {"target": "chat", "actions": [queue("3")]}])
    chat.write("a.json", {"target": "chat", "actions": [queue("1")]})
    chat.write("c.json", [])
    chat.write("notes.txt", "no JSON")
    assert chat.load() == []
    chat.say("hi")
    assert [message.content for message in chat.queued()] == ["1", "2", "3"]


def test_loading_again_replaces_the_loaded_hooks(chat: JsonHookChat) -> None:
    others: list[object] = []
    HookBuilder(chat.hooks).message().do(others.append)
    for _ in range(2):
        chat.load({"target": "chat", "actions": [queue("1")]})
    chat.say("hi")
    assert len(chat.queued()) == 1
    chat.json_hooks.clear()
    chat.say("hi")
    assert (len(chat.queued()), len(others)) == (1, 2)


def test_a_folder_that_does_not_exist_is_reported(chat: JsonHookChat, caplog: pytest.LogCaptureFixture) -> None:
    missing = chat.folder / "missing"
    (fault,) = chat.json_hooks.load(missing)
    assert (fault.file, fault.reason) == (str(missing), "is not a folder")
    assert str(missing) in caplog.text
    assert not missing.exists()


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ("no JSON", "Expecting value"),
        ('{"target": "chat", "target": "tool", "actions": ["log"]}', "target: duplicate key"),
        ('{"target": "chat", "actions": [{"type": "log", "type": "log"}]}', "actions[0].type: duplicate key"),
        ({"target": "chat", "actions": [queue("\ud800")]}, "actions[0].content: has a lone surrogate"),
        ("[" * 10_000, "nested"),
        ("text", "Expecting value"),
        ([1], "[0]: must be an object"),
        ({"actions": [LOG]}, "target: must be one of chat, stream, tool"),
        ({"target": "chunks", "actions": [LOG]}, "target: must be one of chat, stream, tool"),
        ({"target": ["chat"], "actions": [LOG]}, "target: must be one of chat, stream, tool"),
        ({"target": "chat", "role": ["user"], "actions": [LOG]}, "role: unknown field"),
        ({"target": "chat", "roles": ["narrator"], "actions": [LOG]}, 'roles: "narrator" is not a known role'),
        ({"target": "chat", "roles": "user", "actions": [LOG]}, "roles: must be a list"),
        ({"target": "chat", "roles": [1], "actions": [LOG]}, "roles[0]: must be text"),
        ({"target": "chat", "regex": "(", "actions": [LOG]}, "regex: is not a regular expression"),
        ({"target": "chat", "regex": 1, "actions": [LOG]}, "regex: must be text"),
        ({"target": "chat", "maxTriggers": 0, "actions": [LOG]}, "maxTriggers: max_triggers must be"),
        ({"target": "chat", "maxTriggers": "1", "actions": [LOG]}, "maxTriggers: max_triggers must be"),
        ({"target": "chat", "enabled": "no", "actions": [LOG]}, "enabled: must be true or false"),
        ({"target": "chat", "label": 1, "actions": [LOG]}, "label: must be text"),
        ({"target": "chat", "tools": [], "actions": [LOG]}, "tools: is only for a hook on tool"),
        ({"target": "chat", "event": "after", "actions": [LOG]}, "event: is only for a hook on stream or tool"),
        ({"target": "stream", "roles": [], "actions": [LOG]}, "roles: is only for a hook on chat"),
        (
            {"target": "stream", "event": "after", "actions": [LOG]},
            'event: "after" is not a known kind',
        ),
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
    chat: JsonHookChat, caplog: pytest.LogCaptureFixture, definition: Any, reason: str
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


def test_files_that_cannot_be_read_are_reported(chat: JsonHookChat) -> None:
    (chat.folder / "a.json").mkdir()
    (chat.folder / "b.json").write_bytes(b"\xff")
    faults = chat.json_hooks.load(chat.folder)
    assert [fault.file for fault in faults] == ["a.json", "b.json"]
