"""Finds the open tool calls of a turn, and the call that each result answers.

A result belongs to the nearest earlier assistant message that has an unanswered call with its id
(`messagelog.views.exchanges`). A model may use an id again while an older call with this id still waits. Then a second
result with the id would go to the older call. So the turn records that the older call was never answered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from uuid import uuid4

from messagelog.messages import AgentMessage, StoredMessage, ToolCall
from messagelog.views.exchanges import Call, Step, pair


def open_calls(messages: Iterable[StoredMessage]) -> list[ToolCall]:
    """Returns the unanswered calls of the model's latest message. The model has gone on without the earlier calls."""
    said = [step for step in steps_of(messages) if step.message.role == "assistant"]
    return _waiting(said[-1].calls) if said else []


def waiting_calls(messages: Iterable[StoredMessage], ids: Collection[str]) -> list[ToolCall]:
    """Returns all unanswered calls that have one of these ids."""
    return _waiting(call for step in steps_of(messages) for call in step.calls if call.id in ids)


def is_due(messages: Sequence[StoredMessage]) -> bool:
    """Whether the model must answer: the last message is not an answer of the model without tool calls."""
    spoken = [message for message in messages if message.role != "reasoning"]
    return bool(spoken) and (spoken[-1].role != "assistant" or bool(open_calls(spoken)))


def with_ids(message: AgentMessage) -> AgentMessage:
    """Returns the message, and gives an id to each call that has none."""
    calls = (call if call.id else replace(call, id=f"call_{uuid4().hex[:24]}") for call in message.tool_calls)
    return replace(message, tool_calls=tuple(calls))


def steps_of(messages: Iterable[StoredMessage]) -> list[Step]:
    """Returns the exchanges, without those that a view invents for a result without a call."""
    spoken = [message for message in messages if message.role != "reasoning"]
    made_up = {message.seq for message in spoken if message.role == "tool"}
    return [step for step in pair(spoken) if step.message.seq not in made_up]


def _waiting(calls: Iterable[Call]) -> list[ToolCall]:
    return [ToolCall(call.id, call.name, call.args) for call in calls if not call.results]
