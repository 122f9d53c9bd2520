"""The hooks of one chat. They exist only in this process and are never stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from messagelog.chat.hooks.events import Event, Phase, StreamEvent, Target, ToolEvent, kind_of, own_copy, text_of
from messagelog.messages import StoredMessage, ToolCall


@dataclass(frozen=True, slots=True)
class Selection:
    """The events that a hook is called for.

    Attributes:
        target: Messages of the chat, parts of the stream, or runs of tools.
        kinds: Roles, kinds of stream events or names of tools; an empty set selects all.
        phase: The phase of a tool's run; None selects all.
        pattern: Must be found in the event's text; None selects every text.
    """

    target: Target = "chat"
    kinds: frozenset[str] = frozenset()
    phase: Phase | None = None
    pattern: re.Pattern[str] | None = None

    def matches(self, event: Event) -> bool:
        """Whether an event of the target is selected."""
        if self.kinds and kind_of(event) not in self.kinds:
            return False
        if self.phase and isinstance(event, ToolEvent) and event.phase != self.phase:
            return False
        return self.pattern is None or self.pattern.search(text_of(event)) is not None


class Hook:
    """A callback that is in force until `dispose()`, or until it was called `limit` times."""

    def __init__(
        self, hooks: Hooks, selection: Selection, callback: Callable[[Any], object], limit: int | None = None
    ) -> None:
        self._hooks = hooks
        self._lock = Lock()
        self._left = limit
        self.selection = selection
        self.callback = callback

    def dispose(self) -> None:
        """Ends the hook. A second call does nothing."""
        self._hooks.remove(self)

    def take_trigger(self) -> bool:
        """Counts a call and returns whether it is allowed. The last allowed call removes the hook from its registry."""
        with self._lock:
            if self._left is None:
                return True
            if self._left == 0:
                return False
            self._left -= 1
            is_used_up = self._left == 0
        if is_used_up:
            self.dispose()
        return True


class Hooks:
    """The hooks of one chat, called in the order of their registration.

    If a callback raises, the other callbacks are still called. Then the first error is raised. Each callback gets its
    own copy of the args in an event.

    Attributes:
        silent: Whether message hooks are turned off.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._hooks: list[Hook] = []
        self.silent = False

    def __len__(self) -> int:
        """The number of hooks in force."""
        return len(self._hooks)

    def add(self, hook: Hook) -> None:
        """Puts a hook in force, after the others."""
        with self._lock:
            self._hooks.append(hook)

    def remove(self, hook: Hook) -> None:
        """Ends a hook."""
        with self._lock:
            self._hooks = [other for other in self._hooks if other is not hook]

    def clear(self, target: Target | None = None) -> None:
        """Ends all hooks, or only those on one target."""
        with self._lock:
            self._hooks = [hook for hook in self._hooks if target not in (None, hook.selection.target)]

    def emit_message(self, message: StoredMessage) -> None:
        """Calls the hooks for a message that was added."""
        if not self.silent:
            self._emit("chat", message)

    def emit_stream(self, event: StreamEvent) -> None:
        """Calls the hooks for a part of a streamed reply."""
        self._emit("stream", event)

    def emit_tool(self, phase: Phase, call: ToolCall, outcome: str | BaseException | None = None) -> None:
        """Calls the hooks for a step of a tool's run.

        Args:
            phase: The step.
            call: The tool call.
            outcome: The tool's result after it ran, or the error that it raised.
        """
        result, error = (None, outcome) if isinstance(outcome, BaseException) else (outcome, None)
        self._emit("tool", ToolEvent(phase, call, result, error))

    def _emit(self, target: Target, event: Event) -> None:
        first_error: Exception | None = None
        for hook in list(self._hooks):
            try:
                if hook.selection.target == target and hook.selection.matches(event) and hook.take_trigger():
                    hook.callback(own_copy(event))
            except Exception as error:
                first_error = first_error or error
        if first_error:
            raise first_error
