"""Tool exchanges: finds the results of each call, anywhere in the log.

Every view first applies these rules, in this order: pair (and move), answer, rename.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from messagelog.messages import JSONValue, Messages, StoredMessage
from messagelog.views.names import Ids, Names
from messagelog.views.placeholders import text_of

UNKNOWN_TOOL = "unknown_tool"
UNANSWERED = "No result: this tool call was never answered."


@dataclass(slots=True)
class Call:
    """A tool call of a view.

    A call without results is open (its results are still to come) unless it is unanswered.

    Attributes:
        id: The id, first the log's and then the view's.
        name: The tool's name, first the log's and then the view's.
        args: The log's own args, not a copy.
        results: The messages that answer the call, in the order of the log.
        unanswered: Whether the conversation went on without a result.
    """

    id: str
    name: str
    args: JSONValue
    results: list[StoredMessage] = field(default_factory=list)
    unanswered: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the results are still to come."""
        return not self.results and not self.unanswered

    @property
    def answer(self) -> str:
        """The texts of the results, one on each line. For an unanswered call, it is a sentence that says so."""
        return UNANSWERED if self.unanswered else "\n".join(map(text_of, self.results))


@dataclass(slots=True)
class Step:
    """A message that keeps its place in a view, with its calls. A result belongs to its call and is not a step.

    Attributes:
        message: The message.
        calls: Its calls.
        place: The number of messages up to this one, counted as `is_distance` says.
        own: The blocks of the model's own turn, if they are sent back instead of the text and the calls.
    """

    message: StoredMessage
    calls: list[Call]
    place: int
    own: list[dict[str, Any]] | None = None


def pair(messages: Iterable[StoredMessage]) -> list[Step]:
    """Returns each message that is not a result, with its calls, and with their results moved up to them.

    - A result belongs to the nearest earlier assistant message that has an unanswered call with its id, and in that
      message to the first such call.
    - A further result of an answered call joins the first. If an id was used again, it joins the nearest such call.
    - A result without a call gets a step in its own place, with a call made for it.
    - A missing id counts as an empty id. Only an assistant calls tools: `tool_calls` of other roles are ignored.

    Args:
        messages: A part of a log, oldest first. If it is a `Messages` with a `reach`, a result that is farther than
            that from its call (see `is_distance`) does not belong to it.
    """
    reach = messages.reach if isinstance(messages, Messages) else None
    steps: list[Step] = []
    calls = _Calls()
    place = 0
    for message in messages:
        place += is_distance(message)
        if message.role != "tool":
            step = Step(message, calls_of(message), place)
            steps.append(step)
            if step.calls:
                calls.wait(step)
            continue
        id = message.tool_call_id or ""
        call = calls.answered_by(id, oldest=0 if reach is None else place + 1 - reach)
        if call is None:
            steps.append(_made_for(message, place))
            call = calls.answer(id, place, steps[-1].calls[0])
        call.results.append(message)
    return steps


class _Calls:
    """The calls that were made so far, by their ids."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, list[tuple[int, Call]]] = defaultdict(list)  # the last is answered next
        self._answered: dict[str, tuple[int, Call]] = {}  # the one that a further result joins

    def wait(self, step: Step) -> None:
        """Adds the calls of a step to the unanswered calls."""
        for call in reversed(step.calls):
            self._waiting[call.id].append((step.place, call))

    def answered_by(self, id: str, *, oldest: int) -> Call | None:
        """Returns the call that the next result with this id answers or joins. None if it is before `oldest`."""
        waiting = self._waiting.get(id)
        if waiting and waiting[-1][0] >= oldest:
            return self.answer(id, *waiting.pop())
        answered = self._answered.get(id)
        return answered[1] if answered and answered[0] >= oldest else None

    def answer(self, id: str, place: int, call: Call) -> Call:
        """Marks the call at this place as answered, and returns it."""
        if id not in self._answered or self._answered[id][0] <= place:
            self._answered[id] = (place, call)
        return call


def is_distance(message: StoredMessage) -> bool:
    """Whether the message counts as distance between a call and its result.

    Results and reasoning do not count. A history that providers accept has only these between a call and its result.
    """
    return message.role not in ("tool", "reasoning")


def answer(steps: list[Step]) -> None:
    """Marks each call that was not answered while the conversation went on. The calls of the last step stay open."""
    for step in steps[:-1]:
        for call in step.calls:
            call.unanswered = not call.results


def rename(steps: list[Step], ids: Ids, names: Names) -> None:
    """Gives each call an id and a name that the provider accepts. Its results get the same id and name."""
    for step in steps:
        for position, call in enumerate(step.calls):
            call.id = ids.of(call.id, step.message.seq, position)
            call.name = names.of(call.name or UNKNOWN_TOOL)


def calls_of(message: StoredMessage) -> list[Call]:
    """Returns the calls that a message makes, without results."""
    if message.role != "assistant":
        return []
    return [Call(call.id, call.name, call.args) for call in message.tool_calls]


def _made_for(result: StoredMessage, place: int) -> Step:
    """Returns the step for a result without a call: an assistant message that calls the tool, at the same place."""
    call = Call(result.tool_call_id or "", result.name or UNKNOWN_TOOL, {})
    return Step(StoredMessage(role="assistant", content="", seq=result.seq, at=result.at), [call], place)
