"""The events that hooks are called with: a stored message, a part of a streamed reply, or a step of a tool's run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias, get_args

from messagelog.messages import AgentMessage, StoredMessage, ToolCall
from messagelog.strictjson import copied
from messagelog.views.arguments import as_text

Target: TypeAlias = Literal["chat", "stream", "tool"]
Phase: TypeAlias = Literal["before", "after", "error"]
StreamKind: TypeAlias = Literal["content", "reasoning", "tool_call", "finish"]

TARGETS: tuple[Target, ...] = get_args(Target)
PHASES: tuple[Phase, ...] = get_args(Phase)
STREAM_KINDS: tuple[StreamKind, ...] = get_args(StreamKind)


class StreamEvent(Protocol):
    """A part of a streamed reply: a piece of content, of reasoning or of a tool call, or the end."""

    @property
    def kind(self) -> StreamKind:
        """The kind of the part."""
        ...


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """A step of a tool's run.

    Attributes:
        phase: `before` the tool runs, `after` it returned, or `error` if it raised.
        call: The tool call.
        result: The tool's result, in the phase `after`.
        error: The error of the tool, in the phase `error`.
    """

    phase: Phase
    call: ToolCall
    result: str | None = None
    error: BaseException | None = None


Event: TypeAlias = "StoredMessage | StreamEvent | ToolEvent"


def kind_of(event: Event) -> str:
    """Returns the role of a message, the name of a tool, or the kind of a stream event."""
    if isinstance(event, AgentMessage):
        return event.role
    return event.call.name if isinstance(event, ToolEvent) else event.kind


def text_of(event: Event) -> str:
    """Returns the text in which a hook's pattern is searched.

    That is a message's content, a streamed piece of text or of a call's arguments, a tool's arguments before it runs,
    and its result or the text of its error afterwards.
    """
    if isinstance(event, AgentMessage):
        return event.content
    if isinstance(event, ToolEvent):
        return _text_of_run(event)
    return str(getattr(event, "text", ""))


def words_of(error: BaseException) -> str:
    """Returns the text of an error, or the name of its class if its `__str__` raises."""
    try:
        return str(error)
    except Exception:
        return type(error).__name__


def own_copy(event: Event) -> Event:
    """Returns the event with its own copy of the args, so that a callback cannot change what others see."""
    if isinstance(event, StoredMessage) and event.tool_calls:
        return replace(event, tool_calls=tuple(_own_call(call) for call in event.tool_calls))
    return replace(event, call=_own_call(event.call)) if isinstance(event, ToolEvent) else event


def _text_of_run(event: ToolEvent) -> str:
    if event.phase == "before":
        return as_text(event.call.args)
    return words_of(event.error) if event.error else event.result or ""


def _own_call(call: ToolCall) -> ToolCall:
    return replace(call, args=copied(call.args, "args"))
