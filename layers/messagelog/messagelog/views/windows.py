"""The newest part of a log, cut where a provider accepts the cut.

A window starts at a user or system message and splits no tool exchange, so a history that a provider accepts has
windows that it accepts. If the call of a result is not in the window, earlier messages are searched for it. In a
history without such results, only the window is read.

    place b              the smallest multiple of `step` with at most `last` messages, of `max_tokens`, after it
    start                the first user or system message after b at which no exchange is open
    no start after b     the last user message before b, and the newest exchanges that fit with it, at least one
    no user message      only these exchanges

With a step, the start stays the same for `step` messages, so that prompt caches hit and thinking stays valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from messagelog.messages import Messages, StoredMessage
from messagelog.views.exchanges import Step, is_distance, pair
from messagelog.views.tail import Tail
from messagelog.views.window_limits import WindowLimits

REACH = 200
"""In a window, a result that is more than this many messages after its call does not belong to it.

Other results and reasoning do not count, because a call may be one of hundreds at once: see `is_distance`.
"""

_MOST_READ_BACK = 500  # for the call of a result
_LONGEST_TURN = 1_000  # messages back, for the user message of a turn


@dataclass(frozen=True, slots=True)
class _Start:
    """The start of a window: at `seq`, with the user message `user` before it if that is another one."""

    seq: int
    user: int | None = None


def window(newest_first: Iterator[StoredMessage], limits: WindowLimits) -> Messages:
    """Returns the newest messages of a log within the limits, oldest first.

    Args:
        newest_first: The log from its end. The window takes as many messages from it as the limits allow, and one more.
            To look for a call, it takes at most 500 more; for the user message of a long turn, at most 1,000. If the
            window holds a model's own turn, it takes about as many again, to learn where earlier windows started.
        limits: The limits. Without any, the window is the whole log.

    Returns:
        The messages, with their reach and the first seq since which windows of these limits had the same start. They
        are empty only if the log is empty.
    """
    if limits.is_open:
        return Messages(list(newest_first)[::-1])
    tail = Tail(newest_first)
    if tail.end == 0:
        return Messages(reach=REACH)
    start = _start_of(tail, tail.end, limits)
    messages = tail.between(start.seq, tail.end)
    if start.user is not None:
        messages = [*tail.between(start.user, start.user), *messages]
    own = [message.seq for message in messages if message.original is not None]
    return Messages(messages, reach=REACH, same_start_from=_same_start_from(tail, own, start, limits))


def _same_start_from(tail: Tail, own: list[int], start: _Start, limits: WindowLimits) -> int:
    """Returns the first seq since which all of the model's own turns were made in a window with this start. 0 for all.

    A window that leaves nothing out has always had its start.
    """
    if not own or (_place(tail, tail.end, limits) == 0 and _legal_start(tail, 1, 1) == start.seq):
        return 0
    same = list(takewhile(lambda seq: seq == 1 or _start_of(tail, seq - 1, limits) == start, reversed(own)))
    if len(same) == len(own):
        return 0
    return same[-1] if same else tail.end + 1


def _start_of(tail: Tail, end: int, limits: WindowLimits) -> _Start:
    """Returns the start of the window whose last message is `end`."""
    place = _place(tail, end, limits)
    start = _legal_start(tail, place + 1, end)
    return _start_in_turn(tail, end, limits) if start is None else _Start(start)


def _place(tail: Tail, end: int, limits: WindowLimits) -> int:
    """Returns the last seq before the messages that fit, rounded up to the step unless the whole log fits."""
    taken = tokens = 0
    while limits.last is None or taken < limits.last:
        message = tail.get(end - taken)
        if message is None:
            return end - taken
        if limits.max_tokens is not None:
            tokens += tail.once(message, limits.tokens_of)
            if tokens > limits.max_tokens:
                break
        taken += 1
    return min(end, -(-(end - taken) // limits.step) * limits.step)


def _start_in_turn(tail: Tail, end: int, limits: WindowLimits) -> _Start:
    """Returns the start in a turn that exceeds the limits: its user message and the newest exchanges that fit."""
    user = first = None
    for message in islice(tail.newest_first(end), _LONGEST_TURN):
        first = message.seq
        if message.role == "user" and _legal_start(tail, first, end) == first:
            user = message
            break
    begin = first or end
    exchanges = [seq for seq in _exchange_starts(tail.between(begin, end)) if user is None or seq > user.seq]
    if not exchanges:
        return _Start(begin)
    place = _place(tail, end, limits.beside(user) if user else limits)
    start = next((seq for seq in exchanges if seq > place), exchanges[-1])
    if user is None or start == user.seq + 1:
        return _Start(user.seq if user else start)
    return _Start(start, user.seq)


def _legal_start(tail: Tail, first: int, end: int) -> int | None:
    """Returns the seq of the first message from `first` to `end` at which a window may start, or None."""
    messages = tail.between(first, end)
    steps = pair(Messages(messages, reach=REACH))
    start = _first_start(messages, steps)
    if start is None or _last_in_doubt(messages, steps) < start:
        return start
    return _first_start(messages, pair(Messages([*_earlier(tail, first), *messages], reach=REACH)))


def _first_start(messages: list[StoredMessage], steps: list[Step]) -> int | None:
    """Returns the seq of the first user or system message at which all exchanges are complete."""
    exchanges = iter(steps)
    step = next(exchanges, None)
    under_way = 0
    for message in messages:
        while step is not None and step.message.seq < message.seq:
            under_way = max(under_way, *_result_seqs(step), 0)
            step = next(exchanges, None)
        if message.role in ("user", "system") and under_way < message.seq:
            return message.seq
    return None


def _last_in_doubt(messages: list[StoredMessage], steps: list[Step]) -> int:
    """Returns the seq of the last result that may answer a call before the messages, 0 if there is none.

    The messages do not contain the call of such a result, or another result answers that call.
    """
    further = [result.seq for step in steps for call in step.calls for result in call.results[1:]]
    return max([*further, *(step.message.seq for step in _strays(messages, steps))], default=0)


def _earlier(tail: Tail, first: int) -> list[StoredMessage]:
    """Returns the messages before `first` whose calls a result at or after it may answer, oldest first."""
    found: list[StoredMessage] = []
    distance = 0
    for message in islice(tail.newest_first(first - 1), _MOST_READ_BACK):
        found.append(message)
        distance += is_distance(message)
        if distance >= REACH:
            break
    return found[::-1]


def _exchange_starts(messages: list[StoredMessage]) -> list[int]:
    """Returns the seqs at which an exchange begins while no other exchange is open.

    A result whose call is not among the messages counts as a begin only if no other exchange begins.
    """
    starts, under_way = [], 0
    steps = pair(Messages(messages, reach=REACH))
    for step in steps:
        if step.message.role == "assistant" and under_way < step.message.seq:
            starts.append(step.message.seq)
        under_way = max(under_way, *_result_seqs(step), 0)
    strays = {step.message.seq for step in _strays(messages, steps)}
    return [seq for seq in starts if seq not in strays] or starts


def _result_seqs(step: Step) -> list[int]:
    return [result.seq for call in step.calls for result in call.results]


def _strays(messages: list[StoredMessage], steps: list[Step]) -> list[Step]:
    """Returns the steps of results whose call is not among the messages."""
    results = {message.seq for message in messages if message.role == "tool"}
    return [step for step in steps if step.message.seq in results]
