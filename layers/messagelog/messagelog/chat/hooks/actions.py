"""The actions of a JSON hook: `log`, `queue-message`, `interrupt` and `queue-resend`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from messagelog.chat.hooks.checks import one_of, refuse
from messagelog.chat.hooks.events import Event, ToolEvent, text_of
from messagelog.chat.queue import HookMessageWriter
from messagelog.messages import StoredMessage
from messagelog.strictjson import below, require, require_object

logger = logging.getLogger(__name__)

ACTION_FIELDS = {"log": (), "queue-message": ("role", "content"), "interrupt": ("resend",), "queue-resend": ()}

Action: TypeAlias = Callable[[Event], None]


class Controls(Protocol):
    """The controls of the send that is running."""

    def interrupt(self, resend: bool = False) -> None:
        """Ends the running request, and asks the model again if `resend` is true."""
        ...

    def queue_resend(self) -> None:
        """Asks the model again when the send is done, with the messages that are queued then."""
        ...


class Actions:
    """Reads the actions of a definition.

    Args:
        writer: Takes the messages of `queue-message`.
        controls: Takes `interrupt` and `queue-resend`.
    """

    def __init__(self, writer: HookMessageWriter, controls: Controls) -> None:
        self._writer = writer
        self._controls = controls

    def read(self, value: object, label: str, path: str) -> list[Action]:
        """Returns the actions of a list in JSON.

        Args:
            value: The list. Each entry is an object with its `type`, or only the type.
            label: The label of the hook, for log lines.
            path: The path of the list, for errors.

        Raises:
            CodecError: The list is empty, or an entry is not an action.
        """
        entries = require(value, path, list)
        if not entries:
            refuse(path, "is empty: name the actions of the hook")
        return [self._action(entry, label, f"{path}[{index}]") for index, entry in enumerate(entries)]

    def _action(self, value: object, label: str, path: str) -> Action:
        entry = {"type": value} if isinstance(value, str) else require(value, path, dict)
        kind = one_of(entry.get("type"), tuple(ACTION_FIELDS), below(path, "type"))
        fields = require_object(entry, path, ("type", *ACTION_FIELDS[kind]))
        if kind == "log":
            return lambda event: logger.info("%s", _line(event, label))
        if kind == "interrupt":
            resend = require(fields.get("resend", False), below(path, "resend"), bool)
            return lambda event: self._controls.interrupt(resend)
        if kind == "queue-resend":
            return lambda event: self._controls.queue_resend()
        return self._queue_message(fields, path)

    def _queue_message(self, fields: Mapping[str, Any], path: str) -> Action:
        writers: dict[str, Callable[[str], None]] = {
            "user": self._writer.user,
            "assistant": self._writer.assistant,
            "reasoning": self._writer.reasoning,
        }
        write = writers[one_of(fields.get("role"), tuple(writers), below(path, "role"))]
        template = require(fields.get("content"), below(path, "content"), str)
        return lambda event: write(template.replace("{{content}}", text_of(event)))


def _line(event: Event, label: str) -> str:
    """The log line of an event, without any content."""
    if isinstance(event, StoredMessage):
        return f"{label} role={event.role} seq={event.seq}"
    return f"{label} tool {event.phase}" if isinstance(event, ToolEvent) else f"{label} stream {event.kind}"
