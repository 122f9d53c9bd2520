"""A chat with JSON hooks in a folder, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from messagelog import AgentMessage
from messagelog.chat import HookMessageWriter, MessageQueue
from messagelog.chat.hooks.files import JsonHooks
from messagelog.chat.hooks.registry import Hooks
from messagelog.chat.memory import MemoryChatState

from tests.support.hooks import message

LOG = {"type": "log"}


def queue(content: str, role: str = "user") -> dict[str, Any]:
    """The action that queues a message."""
    return {"type": "queue-message", "role": role, "content": content}


class JsonHookChat:
    """Hooks, a queue, and a record of the controls that actions used.

    Args:
        folder: The folder of the JSON files.
    """

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
        """Writes a file: text as it is, anything else as JSON."""
        text = definition if isinstance(definition, str) else json.dumps(definition)
        (self.folder / name).write_text(text, encoding="utf-8")

    def load(self, *definitions: object) -> list[str]:
        """Writes a file for each definition, and loads the folder. Returns the faults as text."""
        for number, definition in enumerate(definitions):
            self.write(f"{number}.json", definition)
        return [f"{fault.file}: {fault.reason}" for fault in self.json_hooks.load(self.folder)]

    def say(self, content: str, role: Any = "user", seq: int = 1) -> None:
        """Calls the hooks for a message."""
        self.hooks.emit_message(message(content, role, seq))

    def queued(self) -> list[AgentMessage]:
        """The messages in the queue."""
        return [staged.message for staged in self.state.staged(limit=1000)]
