"""Tool calls as a turn sees them: which calls are open, and how their results find them.

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
    """The calls of the model's latest message that nobody has answered. The model went on without earlier calls."""
    said = [step for step in steps_of(messages) if step.message.role == "assistant"]
    return _waiting(said[-1].calls) if said else []


def waiting_calls(messages: Iterable[StoredMessage], ids: Collection[str]) -> list[ToolCall]:
    """All calls with one of these ids that nobody has answered."""
    return _waiting(call for step in steps_of(messages) for call in step.calls if call.id in ids)


def is_due(messages: Sequence[StoredMessage]) -> bool:
    """Whether the model is to speak next: somebody spoke, and the model did not speak last without calling a tool."""
    spoken = [message for message in messages if message.role != "reasoning"]
    return bool(spoken) and (spoken[-1].role != "assistant" or bool(open_calls(spoken)))


def with_ids(message: AgentMessage) -> AgentMessage:
    """The message with an id for each call that has none."""
    calls = (call if call.id else replace(call, id=f"call_{uuid4().hex[:24]}") for call in message.tool_calls)
    return replace(message, tool_calls=tuple(calls))


def steps_of(messages: Iterable[StoredMessage]) -> list[Step]:
    """The exchanges, without those that views make up for a result without a call."""
    spoken = [message for message in messages if message.role != "reasoning"]
    made_up = {message.seq for message in spoken if message.role == "tool"}
    return [step for step in pair(spoken) if step.message.seq not in made_up]


def _waiting(calls: Iterable[Call]) -> list[ToolCall]:
    return [ToolCall(call.id, call.name, call.args) for call in calls if not call.results]
