"""Tool exchanges: every call of a log with the results that belong to it, wherever they stand.

What all views share of the rules, in their order: `pair` (and move), `answer`, `rename`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from messagelog.messages import JSONValue, Messages, StoredMessage
from messagelog.views.names import Ids, Names

UNKNOWN_TOOL = "unknown_tool"
UNANSWERED = "No result: this tool call was never answered."


@dataclass(slots=True)
class Call:
    """A tool call of a view. `results` are the messages that answer it, in the order of the log.

    `unanswered` is true where nobody answered and the conversation went on; a call without results that is not
    unanswered is open: its results are still to come.
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
        """The text of the results, one to a line; of an unanswered call the sentence that says so."""
        return UNANSWERED if self.unanswered else "\n".join(result.content for result in self.results)


@dataclass(slots=True)
class Step:
    """A message that keeps its place in the view, with the calls it makes. A result is with its call, not a step.

    `place` counts the messages up to this one, as far as they count as distance.
    """

    message: StoredMessage
    calls: list[Call]
    place: int


def pair(messages: Iterable[StoredMessage]) -> list[Step]:
    """Every message that is no result, in order, its calls with their results moved up to them.

    A result belongs to the oldest unanswered call with its id before it; a further result of an answered call joins the
    first (with an id used again, the latest answered call). A result without a call gets a step with its call, written
    in its own place. No id is an empty id. Only an assistant calls tools: `tool_calls` of other roles say nothing.
    Where the messages know their `reach`, a result farther away does not belong to its call: see `is_distance`.
    """
    reach = messages.reach if isinstance(messages, Messages) else None
    steps: list[Step] = []
    place = 0
    waiting: defaultdict[str, deque[tuple[int, Call]]] = defaultdict(deque)
    answered: dict[str, tuple[int, Call]] = {}
    for message in messages:
        place += is_distance(message)
        if message.role != "tool":
            step = Step(message, calls_of(message), place)
            for call in step.calls:
                waiting[call.id].append((place, call))
            steps.append(step)
            continue
        key = message.tool_call_id or ""
        oldest = place + 1 - reach if reach is not None else 0
        while waiting[key] and waiting[key][0][0] < oldest:
            waiting[key].popleft()
        if waiting[key]:
            answered[key] = waiting[key].popleft()
        elif key not in answered or answered[key][0] < oldest:
            step = _written(message, place)
            answered[key] = (place, step.calls[0])
            steps.append(step)
        answered[key][1].results.append(message)
    return steps


def is_distance(message: StoredMessage) -> bool:
    """Whether the message takes a result away from its call.

    Other results and reasoning do not: of a history as a provider takes it, nothing else stands between the two.
    """
    return message.role not in ("tool", "reasoning")


def answer(steps: list[Step]) -> None:
    """Marks each call that nobody answered while the conversation went on. The calls of the last step stay open."""
    for step in steps[:-1]:
        for call in step.calls:
            call.unanswered = not call.results


def rename(steps: list[Step], ids: Ids, names: Names) -> None:
    """Gives each call an id and a name that the provider takes; its results follow, since they are with it."""
    for step in steps:
        for position, call in enumerate(step.calls):
            call.id = ids.of(call.id, step.message.seq, position)
            call.name = names.of(call.name or UNKNOWN_TOOL)


def calls_of(message: StoredMessage) -> list[Call]:
    """The calls that a message makes, without results."""
    if message.role != "assistant":
        return []
    return [Call(call.id, call.name, call.args) for call in message.tool_calls]


def _written(result: StoredMessage, place: int) -> Step:
    """The step that a result without a call gets: an assistant who calls the tool, in the place of the result."""
    call = Call(result.tool_call_id or "", result.name or UNKNOWN_TOOL, {})
    return Step(StoredMessage(role="assistant", content="", seq=result.seq, at=result.at), [call], place)
