"""Builds and checks the messages of a chat. The functions named after a role build a message, and `admit` checks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from messagelog import codec, messages
from messagelog.errors import CodecError
from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.readers.openai import tool_call
from messagelog.readers.reading import plain
from messagelog.reply_limit import check_fits_a_reply
from messagelog.strictjson import below

_ORIGINS: dict[Role, messages.Origin] = {
    "system": "system",
    "user": "user",
    "assistant": "model",
    "reasoning": "model",
    "tool": "tool",
}


def admit(message: AgentMessage | Mapping[str, object], path: str = "") -> AgentMessage:
    """Checks a message for a chat, and gives it a time and an origin if it has none.

    Args:
        message: The message, as a value or in its JSON form.
        path: The path of the message in what the caller gave, for errors.

    Raises:
        CodecError: The message cannot be stored and read back equal. A system message is refused too, since it belongs
            in the prompt tree, and so is a tool's result without the id of its call.
        MessageTooLargeError: No reply could carry the message.
    """
    checked = codec.parse(message, path)
    if checked.role == "system":
        raise CodecError(below(path, "role"), "a chat does not take a system message: put it into chat.system()")
    if checked.role == "tool" and not checked.tool_call_id:
        raise CodecError(below(path, "toolCallId"), "is missing: give the id of the call that this result answers")
    ready = stamped(checked)
    check_fits_a_reply(ready, path)
    return ready


def admit_all(batch: Iterable[AgentMessage | Mapping[str, object]]) -> tuple[AgentMessage, ...]:
    """Checks the messages of a batch. See `admit`."""
    return tuple(admit(message, path) for path, message in codec.each(batch))


def stamped(message: AgentMessage) -> AgentMessage:
    """Returns the message, with the current time and the origin of its role if these are missing."""
    return replace(
        message,
        created_at=message.created_at or datetime.now(UTC),
        origin=message.origin or _ORIGINS[message.role],
    )


def user(content: str) -> AgentMessage:
    """Builds a message of the user."""
    return AgentMessage("user", content)


def assistant(content: str, tool_calls: Iterable[Any] | None = None) -> AgentMessage:
    """Builds a message of the model.

    Args:
        content: The text.
        tool_calls: ToolCalls, or entries of `tool_calls` in OpenAI's form, as dicts or objects. Arguments that are not
            JSON are kept as text.
    """
    return AgentMessage("assistant", content, tool_calls=_calls(tool_calls or ()))


def tool(content: str, tool_call_id: str) -> AgentMessage:
    """Builds the result of a tool call."""
    return AgentMessage("tool", content, tool_call_id=tool_call_id)


def reasoning(content: str) -> AgentMessage:
    """Builds a message of the model's reasoning."""
    return AgentMessage("reasoning", content)


def _calls(calls: Iterable[Any]) -> tuple[ToolCall, ...]:
    return tuple(
        call if isinstance(call, ToolCall) else tool_call(plain(call), f"toolCalls[{index}]")
        for index, call in enumerate(calls)
    )
