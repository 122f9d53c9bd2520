"""Reads the definition of a JSON hook: the events that call it, and its actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from messagelog.chat.hooks.actions import Action, Actions
from messagelog.chat.hooks.builder import HookBuilder
from messagelog.chat.hooks.checks import one_of, refuse, texts
from messagelog.chat.hooks.events import PHASES, TARGETS, Event, Phase
from messagelog.chat.hooks.registry import Hooks
from messagelog.strictjson import below, require, require_object

FIELDS = ("target", "roles", "regex", "tools", "event", "maxTriggers", "enabled", "label", "actions")
_TARGETS_OF_FIELD = {"roles": ("chat",), "tools": ("tool",), "event": ("stream", "tool")}


def read_definition(
    value: object, path: str, hooks: Hooks, actions: Actions
) -> tuple[HookBuilder, Callable[[Event], None]] | None:
    """Returns the builder and the callback of a hook; None if it is not enabled.

    Args:
        value: The definition, as JSON.
        path: The path of the definition in its file, for errors.
        hooks: The registry that the hook is to join.
        actions: Reads the actions.

    Raises:
        CodecError: The definition is wrong.
    """
    fields = require_object(value, path, FIELDS)
    target = one_of(fields.get("target"), TARGETS, below(path, "target"))
    for name, targets in _TARGETS_OF_FIELD.items():
        if name in fields and target not in targets:
            refuse(below(path, name), f"is only for a hook on {' or '.join(targets)}")
    enabled = require(fields.get("enabled", True), below(path, "enabled"), bool)
    label = require(fields.get("label", ""), below(path, "label"), str)
    builder = _limited(_selected(HookBuilder(hooks), target, fields, path), fields, path)
    callback = _callback(actions.read(fields.get("actions"), label, below(path, "actions")))
    return (builder, callback) if enabled else None


def _callback(actions: list[Action]) -> Callable[[Event], None]:
    def callback(event: Event) -> None:
        for action in actions:
            action(event)

    return callback


def _selected(builder: HookBuilder, target: str, fields: Mapping[str, Any], path: str) -> HookBuilder:
    if target == "tool":
        phase = one_of(fields.get("event", "after"), PHASES, below(path, "event"))
        return builder.tool(*texts(fields.get("tools", []), below(path, "tools"))).phase(cast(Phase, phase))
    name = "roles" if target == "chat" else "event"
    given = fields.get(name, [])
    kinds = [given] if target == "stream" and isinstance(given, str) else texts(given, below(path, name))
    try:
        return builder.message(*kinds) if target == "chat" else builder.stream(*kinds)
    except ValueError as error:
        refuse(below(path, name), str(error))


def _limited(builder: HookBuilder, fields: Mapping[str, Any], path: str) -> HookBuilder:
    name = "regex"
    try:
        if name in fields:
            builder = builder.regex(require(fields[name], below(path, name), str))
        name = "maxTriggers"
        return builder.max_triggers(fields[name]) if name in fields else builder
    except ValueError as error:
        refuse(below(path, name), str(error))
