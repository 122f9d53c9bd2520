"""Messages on their way into a chat: each gets a time and an origin, and what no chat takes is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from messagelog import codec, messages
from messagelog.errors import CodecError
from messagelog.incoming.openai import tool_call
from messagelog.incoming.reading import plain
from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.strictjson import below

_ORIGINS: dict[Role, messages.Origin] = {
    "system": "system",
    "user": "user",
    "assistant": "model",
    "reasoning": "model",
    "tool": "tool",
}


def draft(message: AgentMessage | Mapping[str, object], path: str = "") -> AgentMessage:
    """A message, given as a value or in its JSON form, for a chat to store.

    It gets the time of now and the origin of its role, unless it has them. Raises CodecError with the path of the
    fault, below `path`: a system message has its place in the prompt tree, and a tool's result names the call it
    answers.
    """
    checked = codec.parse(message, path)
    if checked.role == "system":
        raise CodecError(below(path, "role"), "a system message is no part of a chat: put it in chat.system()")
    if checked.role == "tool" and not checked.tool_call_id:
        raise CodecError(below(path, "toolCallId"), "is missing: give the id of the call that this result answers")
    return stamped(checked)


def stamped(message: AgentMessage) -> AgentMessage:
    """The message with the time of now and the origin of its role, unless it has them."""
    return replace(
        message,
        created_at=message.created_at or datetime.now(UTC),
        origin=message.origin or _ORIGINS[message.role],
    )


def user(content: str) -> AgentMessage:
    """What the user says."""
    return draft(AgentMessage("user", content))


def assistant(content: str, tool_calls: Iterable[Any] | None = None) -> AgentMessage:
    """What the model says. Its calls are ToolCalls, or entries of `tool_calls` as OpenAI has them, dicts or objects.

    Arguments that are no JSON stay the same text.
    """
    return draft(AgentMessage("assistant", content, tool_calls=_calls(tool_calls or ())))


def tool(content: str, tool_call_id: str) -> AgentMessage:
    """The result of a tool."""
    return draft(AgentMessage("tool", content, tool_call_id=tool_call_id))


def reasoning(content: str) -> AgentMessage:
    """What the model thinks."""
    return draft(AgentMessage("reasoning", content))


def _calls(calls: Iterable[Any]) -> tuple[ToolCall, ...]:
    return tuple(
        call if isinstance(call, ToolCall) else tool_call(plain(call), f"toolCalls[{index}]")
        for index, call in enumerate(calls)
    )
