"""Hooks that are written down as JSON, in the files of a folder.

A file holds one definition or a list of them:

    {"target": "chat", "roles": ["assistant"], "regex": "not sure", "maxTriggers": 1, "label": "nudge", "actions": [
        {"type": "log"}, {"type": "queue-message", "role": "user", "content": "You said: {{content}}. Try again."}]}

`target` is `chat`, `stream` or `tool`. A hook on tools has `tools`, and as `event` `before`, `after` (the default) or
`error`; one on the stream has as `event` a kind of stream event or a list of them. `enabled: false` leaves it out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeAlias, cast

from messagelog.chat.hooks.hooks import Event, Hook, HookBuilder, Hooks, ToolEvent, text_of
from messagelog.chat.queue import HookMessageWriter
from messagelog.errors import CodecError
from messagelog.messages import StoredMessage
from messagelog.strictjson import MAX_LEVELS, below, copied, loads, require, require_object

logger = logging.getLogger(__name__)

_FIELDS = ("target", "roles", "regex", "tools", "event", "maxTriggers", "enabled", "label", "actions")
_FIELDS_OF_ONE = {"roles": ("chat",), "tools": ("tool",), "event": ("stream", "tool")}
_ACTION_FIELDS = {"log": (), "queue-message": ("role", "content"), "interrupt": ("resend",), "queue-resend": ()}

Action: TypeAlias = Callable[[Event], None]


class Controls(Protocol):
    """What actions do to the send that is running."""

    def interrupt(self, resend: bool = False) -> None:
        """Ends the running request, and asks again if told so."""
        ...

    def queue_resend(self) -> None:
        """Lets the send ask again when it is done, with what is in the queue by then."""
        ...


@dataclass(frozen=True, slots=True)
class Fault:
    """A file of which no hook is in force, and why."""

    file: str
    reason: str


class JsonHooks:
    """The JSON hooks of one chat."""

    def __init__(self, hooks: Hooks, writer: HookMessageWriter, controls: Controls) -> None:
        self._hooks = hooks
        self._writer = writer
        self._controls = controls
        self._loaded: list[Hook] = []

    def load(self, folder: str | Path) -> list[Fault]:
        """Puts the hooks of all `.json` files in force, by the names of the files, in place of those loaded before.

        A file that is wrong anywhere is left out, and so is a folder that does not exist: that is logged and returned.
        """
        self.clear()
        faults: list[Fault] = []
        for file in sorted(Path(folder).glob("*.json")):
            try:
                for builder, callback in self._definitions(file):
                    self._loaded.append(builder.do(callback))
            except (OSError, ValueError) as error:
                faults.append(Fault(file.name, str(error)))
        if not Path(folder).is_dir():
            faults.append(Fault(str(folder), "is no folder"))
        for fault in faults:
            logger.warning("JSON hooks left out: %s: %s", fault.file, fault.reason)
        return faults

    def clear(self) -> None:
        """Ends the hooks that were loaded."""
        for hook in self._loaded:
            hook.dispose()
        self._loaded.clear()

    def _definitions(self, file: Path) -> list[tuple[HookBuilder, Action]]:
        value = loads(file.read_text(encoding="utf-8"), max_levels=MAX_LEVELS)
        copied(value, "")  # no key twice, no half of a character
        if isinstance(value, list):
            found = [self._definition(each, f"[{index}]") for index, each in enumerate(value)]
        else:
            found = [self._definition(value, "")]
        return [each for each in found if each]

    def _definition(self, value: object, path: str) -> tuple[HookBuilder, Action] | None:
        fields = require_object(value, path, _FIELDS)
        target = _one_of(fields.get("target"), ("chat", "stream", "tool"), below(path, "target"))
        for name, targets in _FIELDS_OF_ONE.items():
            if name in fields and target not in targets:
                _refuse(below(path, name), f"is for a hook on {' or '.join(targets)}")
        enabled = require(fields.get("enabled", True), below(path, "enabled"), bool)
        label = require(fields.get("label", ""), below(path, "label"), str)
        builder = _limited(_aimed(HookBuilder(self._hooks), target, fields, path), fields, path)
        actions = self._actions(fields.get("actions"), label, below(path, "actions"))

        def callback(event: Event) -> None:
            for action in actions:
                action(event)

        return (builder, callback) if enabled else None

    def _actions(self, value: object, label: str, path: str) -> list[Action]:
        entries = require(value, path, list)
        if not entries:
            _refuse(path, "is empty: say what the hook does")
        return [self._action(entry, label, f"{path}[{index}]") for index, entry in enumerate(entries)]

    def _action(self, value: object, label: str, path: str) -> Action:
        """The action of an entry, which is an object with its `type`, or just the type."""
        entry = {"type": value} if isinstance(value, str) else require(value, path, dict)
        kind = _one_of(entry.get("type"), tuple(_ACTION_FIELDS), below(path, "type"))
        fields = require_object(entry, path, ("type", *_ACTION_FIELDS[kind]))
        if kind == "log":
            return lambda event: logger.info("%s", _about(event, label))
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
        write = writers[_one_of(fields.get("role"), tuple(writers), below(path, "role"))]
        template = require(fields.get("content"), below(path, "content"), str)
        return lambda event: write(template.replace("{{content}}", text_of(event)))


def _aimed(builder: HookBuilder, target: str, fields: Mapping[str, Any], path: str) -> HookBuilder:
    if target == "tool":
        builder = builder.tool(*_texts(fields.get("tools", []), below(path, "tools")))
        phase = _one_of(fields.get("event", "after"), ("before", "after", "error"), below(path, "event"))
        return cast(HookBuilder, getattr(builder, phase)())
    name = "roles" if target == "chat" else "event"
    given = fields.get(name, [])
    kinds = [given] if target == "stream" and isinstance(given, str) else _texts(given, below(path, name))
    try:
        return builder.message(*kinds) if target == "chat" else builder.stream(*kinds)
    except ValueError as error:
        _refuse(below(path, name), str(error))


def _limited(builder: HookBuilder, fields: Mapping[str, Any], path: str) -> HookBuilder:
    name = "regex"
    try:
        if name in fields:
            builder = builder.regex(require(fields[name], below(path, name), str))
        name = "maxTriggers"
        return builder.max_triggers(fields[name]) if name in fields else builder
    except ValueError as error:
        _refuse(below(path, name), str(error))


def _about(event: Event, label: str) -> str:
    """What is logged of an event: never what it says."""
    if isinstance(event, StoredMessage):
        return f"{label} role={event.role} seq={event.seq}"
    return f"{label} tool {event.phase}" if isinstance(event, ToolEvent) else f"{label} stream {event.kind}"


def _texts(value: object, path: str) -> list[str]:
    return [require(each, f"{path}[{index}]", str) for index, each in enumerate(require(value, path, list))]


def _one_of(value: object, choices: tuple[str, ...], path: str) -> str:
    if value not in choices:
        _refuse(path, f"must be one of {', '.join(choices)}")
    return str(value)


def _refuse(path: str, reason: str) -> NoReturn:
    raise CodecError(path, reason)
