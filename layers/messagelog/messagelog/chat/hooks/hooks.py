"""Hooks: callbacks for what happens in a chat. They belong to this process, and nothing of them is stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Literal, Protocol, TypeAlias, get_args

from messagelog.messages import ROLES, AgentMessage, StoredMessage, ToolCall
from messagelog.strictjson import copied
from messagelog.views.arguments import as_text

Target: TypeAlias = Literal["chat", "stream", "tool"]
Phase: TypeAlias = Literal["before", "after", "error"]
StreamKind: TypeAlias = Literal["content", "reasoning", "tool_call", "finish"]

STREAM_KINDS: tuple[StreamKind, ...] = get_args(StreamKind)


class StreamEvent(Protocol):
    """What a provider streams: the text of the content or of reasoning, a part of a tool call, or the end."""

    @property
    def kind(self) -> StreamKind:
        """Which of these it is."""
        ...


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """A tool is about to run, has run with this result, or has raised this error."""

    phase: Phase
    call: ToolCall
    result: str | None = None
    error: BaseException | None = None


Event: TypeAlias = "StoredMessage | StreamEvent | ToolEvent"


class Hook:
    """A callback in force until `dispose()`, or until it was called as often as it may."""

    def __init__(self, hooks: Hooks, wanted: HookBuilder, callback: Callable[[Any], object]) -> None:
        self._hooks = hooks
        self._lock = Lock()
        self._left = wanted.limit
        self.wanted = wanted
        self.callback = callback

    def dispose(self) -> None:
        """Ends the hook. It may be ended already."""
        self._hooks.remove(self)

    def take_trigger(self) -> bool:
        """Counts a call, and says whether it is allowed."""
        with self._lock:
            if self._left is None:
                return True
            self._left -= 1
            return self._left >= 0


class Hooks:
    """The hooks of one chat, called in the order in which they were registered.

    A callback that raises stops no other; the first error is raised behind the last callback. Each callback gets its
    own copy of what a message holds. `silent` keeps message hooks from being called.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._hooks: list[Hook] = []
        self.silent = False

    def add(self, hook: Hook) -> None:
        """Puts a hook in force, behind the others."""
        with self._lock:
            self._hooks.append(hook)

    def remove(self, hook: Hook) -> None:
        """Ends a hook."""
        with self._lock:
            self._hooks = [other for other in self._hooks if other is not hook]

    def clear(self, target: Target | None = None) -> None:
        """Ends all hooks, or those on one target."""
        with self._lock:
            self._hooks = [hook for hook in self._hooks if target not in (None, hook.wanted.target)]

    def emit_message(self, message: StoredMessage) -> None:
        """Tells of a message that was added."""
        if not self.silent:
            self._emit("chat", message)

    def emit_stream(self, event: StreamEvent) -> None:
        """Tells of what a provider streams."""
        self._emit("stream", event)

    def emit_tool(self, phase: Phase, call: ToolCall, outcome: str | BaseException | None = None) -> None:
        """Tells of a tool's run; `outcome` is its result, or its error."""
        result, error = (None, outcome) if isinstance(outcome, BaseException) else (outcome, None)
        self._emit("tool", ToolEvent(phase, call, result, error))

    def _emit(self, target: Target, event: Event) -> None:
        first_error: Exception | None = None
        for hook in list(self._hooks):
            try:
                if hook.wanted.target == target and hook.wanted.matches(event) and hook.take_trigger():
                    hook.callback(_own(event))
            except Exception as error:
                first_error = first_error or error
        if first_error:
            raise first_error


@dataclass(frozen=True, slots=True)
class HookBuilder:
    """Says what a hook is for, then with `do` what it does. Each step gives a new builder.

    `kinds` are roles, kinds of stream events or names of tools; none are all of them.
    """

    hooks: Hooks
    target: Target = "chat"
    kinds: frozenset[str] = frozenset()
    phase: Phase | None = None
    pattern: re.Pattern[str] | None = None
    limit: int | None = None

    def message(self, *roles: str) -> HookBuilder:
        """For messages of these roles, of any without one. Raises ValueError for a role that there is not."""
        return replace(self, target="chat", kinds=_known(roles, ROLES, "role"))

    def stream(self, *kinds: str) -> HookBuilder:
        """For what the provider streams: `content`, `reasoning`, `tool_call`, `finish`, or all."""
        return replace(self, target="stream", kinds=_known(kinds, STREAM_KINDS, "kind of stream event"))

    def tool(self, *names: str) -> HookBuilder:
        """For runs of the tools of these names, or of all; with `before`, `after` or `error`, or for each of them."""
        return replace(self, target="tool", kinds=frozenset(names))

    def before(self) -> HookBuilder:
        """For a tool that is about to run."""
        return replace(self, phase="before")

    def after(self) -> HookBuilder:
        """For a tool that has run."""
        return replace(self, phase="after")

    def error(self) -> HookBuilder:
        """For a tool that raised."""
        return replace(self, phase="error")

    def regex(self, pattern: str | re.Pattern[str]) -> HookBuilder:
        """For texts in which this is found.

        That is a message's content, a streamed piece of text or of a call's arguments, a tool's arguments before it has
        run, and its result or error then.

        Raises ValueError if it is no regular expression.
        """
        try:
            return replace(self, pattern=re.compile(pattern))
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"is no regular expression: {error}") from None

    def max_triggers(self, n: int) -> HookBuilder:
        """To be called n times at most. Raises ValueError unless n is a whole number, 1 or more."""
        if type(n) is not int or n < 1:
            raise ValueError("max_triggers must be a whole number, 1 or more")
        return replace(self, limit=n)

    def do(self, callback: Callable[[Any], object]) -> Hook:
        """Puts the hook in force. `callback` gets the StoredMessage, the stream event or the ToolEvent.

        Raises ValueError for `before`, `after` or `error` of a hook that is not for tools.
        """
        if self.phase and self.target != "tool":
            raise ValueError(f"{self.phase}() is for hooks on tools: begin with tool()")
        hook = Hook(self.hooks, self, callback)
        self.hooks.add(hook)
        return hook

    def matches(self, event: Event) -> bool:
        """Whether the hook is for this event of its target."""
        if self.kinds and _kind_of(event) not in self.kinds:
            return False
        if self.phase and isinstance(event, ToolEvent) and event.phase != self.phase:
            return False
        return self.pattern is None or self.pattern.search(text_of(event)) is not None


def text_of(event: Event) -> str:
    """The text of an event: a message's content, a streamed text, a tool's arguments, result or error."""
    if isinstance(event, AgentMessage):
        return event.content
    if isinstance(event, ToolEvent):
        return _text_of_run(event)
    return str(getattr(event, "text", ""))


def words_of(error: BaseException) -> str:
    """What an error says; its class's name if it fails even in that."""
    try:
        return str(error)
    except Exception:
        return type(error).__name__


def _text_of_run(event: ToolEvent) -> str:
    if event.phase == "before":
        return as_text(event.call.args)
    return words_of(event.error) if event.error else event.result or ""


def _kind_of(event: Event) -> str:
    if isinstance(event, AgentMessage):
        return event.role
    return event.call.name if isinstance(event, ToolEvent) else event.kind


def _own(event: Event) -> Event:
    if isinstance(event, StoredMessage) and event.tool_calls:
        return replace(event, tool_calls=tuple(_own_call(call) for call in event.tool_calls))
    return replace(event, call=_own_call(event.call)) if isinstance(event, ToolEvent) else event


def _own_call(call: ToolCall) -> ToolCall:
    return replace(call, args=copied(call.args, "args"))


def _known(given: tuple[str, ...], known: tuple[str, ...], what: str) -> frozenset[str]:
    for one in given:
        if one not in known:
            raise ValueError(f"{json.dumps(str(one))} is no {what}; known are {', '.join(known)}")
    return frozenset(str(one) for one in given)
