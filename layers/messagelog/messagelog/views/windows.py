"""The newest part of a log, cut where a provider accepts the cut.

A window starts at a user or system message and splits no tool exchange, so a history that a provider accepts has
windows that it accepts. If the call of a result is not in the window, it is looked for further back. In a history
without such results, only the window is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

from messagelog.checks import check_number
from messagelog.messages import Messages, StoredMessage
from messagelog.views.arguments import as_text
from messagelog.views.exchanges import Step, is_distance, pair

REACH = 200
"""In a window, a result that is more than this many messages after its call does not belong to it.

Other results and reasoning do not count, because a call may be one of hundreds at once: see `is_distance`.
"""

_MOST_READ_BACK = 500

_BYTES_A_TOKEN = 4


def window(
    newest_first: Iterator[StoredMessage],
    *,
    last: int | None = None,
    max_tokens: int | None = None,
    count_tokens: Callable[[str], int] | None = None,
) -> Messages:
    """Returns the longest run of newest messages within both limits that starts at a user or system message.

    Args:
        newest_first: The log from its end. The window takes as many messages from it as the limits allow, and one more.
            To look for calls, it takes at most 500 more, and no more than REACH of those that count as distance.
        last: The largest number of messages; None for no limit.
        max_tokens: The largest number of tokens of their text; None for no limit. Reasoning has no tokens, because no
            view shows it.
        count_tokens: Counts the tokens of a text. By default a token is estimated at 4 bytes of UTF-8.

    Returns:
        The messages, oldest first, with their reach; without a limit the whole log. If no run fits, as with
        `last=1` on a log that ends in a tool result, the window is empty.

    Raises:
        ValueError: A limit is negative.
    """
    for name, limit in (("last", last), ("max_tokens", max_tokens)):
        if limit is not None:
            check_number(name, limit)
    newest, older = _within(newest_first, last, max_tokens, count_tokens or _estimated)
    if last is None and max_tokens is None:
        return Messages(newest)
    start = _start(Messages(newest, reach=REACH), older)
    return Messages((message for message in newest if start is not None and message.seq >= start), reach=REACH)


def _within(
    newest_first: Iterator[StoredMessage],
    last: int | None,
    max_tokens: int | None,
    count_tokens: Callable[[str], int],
) -> tuple[list[StoredMessage], Iterator[StoredMessage]]:
    """Returns the newest messages that fit the limits, oldest first, and an iterator over the older, newest first."""
    taken: list[StoredMessage] = []
    tokens = 0
    while last is None or len(taken) < last:
        message = next(newest_first, None)
        if message is None:
            break
        if max_tokens is not None:
            tokens += count_tokens(_text(message))
            if tokens > max_tokens:
                newest_first = chain([message], newest_first)
                break
        taken.append(message)
    return taken[::-1], newest_first


def _text(message: StoredMessage) -> str:
    """Returns all text of the message that a view may show."""
    if message.role == "reasoning":
        return ""
    return message.content + "".join(call.name + as_text(call.args) for call in message.tool_calls)


def _estimated(text: str) -> int:
    return -(-len(text.encode()) // _BYTES_A_TOKEN)


def _start(newest: Messages, older: Iterator[StoredMessage]) -> int | None:
    """Returns the seq of the first of the newest messages at which a window may start, None if there is none."""
    steps = pair(newest)
    starts = _starts(newest, steps)
    past = _Past(older)
    start = next(starts, None)
    for stray in reversed(_strays(newest, steps)):
        if start is None or stray.message.seq < start:
            break
        if past.holds(stray.calls[0].id, within=REACH - stray.place):
            start = next((seq for seq in starts if seq > stray.message.seq), None)
    return start


def _starts(messages: list[StoredMessage], steps: list[Step]) -> Iterator[int]:
    """Yields the seqs of the user and system messages at which no exchange is under way."""
    results = {step.message.seq: [r.seq for call in step.calls for r in call.results] for step in steps}
    under_way = 0
    for message in messages:
        if message.role in ("user", "system") and under_way < message.seq:
            yield message.seq
        under_way = max(under_way, *results.get(message.seq, ()), 0)


def _strays(messages: list[StoredMessage], steps: list[Step]) -> list[Step]:
    """Returns the steps of results whose call is not among the messages."""
    results = {message.seq for message in messages if message.role == "tool"}
    return [step for step in steps if step.message.seq in results]


class _Past:
    """The messages before a window, read back only as far as they are needed."""

    def __init__(self, newest_first: Iterator[StoredMessage]) -> None:
        self._newest_first = islice(newest_first, _MOST_READ_BACK)
        self._distance = 0
        self._distance_of_call: dict[str, int] = {}

    def holds(self, call_id: str, *, within: int) -> bool:
        """Whether a call with this id is among the newest messages, `within` of which count as distance."""
        while call_id not in self._distance_of_call and self._distance < within:
            message = next(self._newest_first, None)
            if message is None:
                break
            self._distance += is_distance(message)
            if message.role == "assistant":
                for call in message.tool_calls:
                    self._distance_of_call.setdefault(call.id, self._distance)
        return self._distance_of_call.get(call_id, within + 1) <= within
