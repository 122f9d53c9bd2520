"""Tool calls as a turn sees them: which of them are open, and by which id their results find them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import uuid4

from messagelog.messages import AgentMessage, StoredMessage, ToolCall
from messagelog.views.exchanges import Step, pair


def open_calls(messages: Iterable[StoredMessage]) -> list[ToolCall]:
    """The calls of the model's latest message that nobody has answered. It went on without those of earlier ones."""
    said = [step for step in _steps(messages) if step.message.role == "assistant"]
    calls = said[-1].calls if said else []
    return [ToolCall(call.id, call.name, call.args) for call in calls if not call.results]


def is_due(messages: Sequence[StoredMessage]) -> bool:
    """Whether the model is to speak next: not where it has spoken last and called no tool, nor where nobody has."""
    spoken = [message for message in messages if message.role != "reasoning"]
    return bool(spoken) and (spoken[-1].role != "assistant" or bool(open_calls(spoken)))


def with_own_ids(answer: Sequence[AgentMessage], messages: Iterable[StoredMessage]) -> list[AgentMessage]:
    """The answer with an id for each call by which its result finds it.

    A call without an id gets one; so does one whose id an earlier call has that was never answered, since a result goes
    to the oldest of those.
    """
    waiting = {call.id for step in _steps(messages) for call in step.calls if not call.results} | {""}
    return [
        replace(
            message,
            tool_calls=tuple(
                replace(call, id=f"call_{uuid4().hex[:24]}") if call.id in waiting else call
                for call in message.tool_calls
            ),
        )
        for message in answer
    ]


def _steps(messages: Iterable[StoredMessage]) -> list[Step]:
    """The exchanges, without those that would be made up for a result without a call."""
    spoken = [message for message in messages if message.role != "reasoning"]
    made_up = {message.seq for message in spoken if message.role == "tool"}
    return [step for step in pair(spoken) if step.message.seq not in made_up]
