"""The newest part of a log, cut where a provider accepts the cut.

A window starts at a user or system message and splits no tool exchange, so a history that a provider takes as it is has
windows that it takes as they are. Where a result behind a possible start has no call in the window, its call is looked
for further back; in a history without such results, nothing but the window is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

from messagelog.checks import check_number
from messagelog.messages import Messages, StoredMessage
from messagelog.views.arguments import as_text
from messagelog.views.exchanges import Step, is_distance, pair

REACH = 200
"""In a window, a result more than this many messages behind its call does not belong to it (`reach` of the views).

Other results, and reasoning, do not count: a call may have been one of hundreds at once.
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
    """The longest run of newest messages within both limits that starts at a user or system message, oldest first.

    `newest_first` is the log from its end. No more is taken from it than the limits allow and one message, and to look
    for calls REACH messages that count as distance, at most 500 of all kinds.
    `last` is a number of messages, `max_tokens` a budget for their text, counted by `count_tokens` (a text's tokens) or
    estimated at 4 UTF-8 bytes a token. Reasoning costs nothing, since no view shows it.

    It is empty where no such run exists, as with `last=1` on a log that ends in a tool result: half an exchange would
    be refused, and more than the limit was not asked for. Without a limit it is the whole log. A negative limit raises
    ValueError.
    """
    for name, limit in (("last", last), ("max_tokens", max_tokens)):
        if limit is not None:
            check_number(name, limit)
    newest, older = _within(newest_first, last, max_tokens, count_tokens or _estimated)
    if last is None and max_tokens is None:
        return Messages(newest)
    newest = Messages(newest, reach=REACH)
    steps = pair(newest)
    starts = _starts(newest, steps)
    past = _Past(older)
    start = next(starts, None)
    for stray in reversed(_strays(newest, steps)):
        if start is None or stray.message.seq < start:
            break
        if past.holds(stray.calls[0].id, within=REACH - stray.place):
            start = next((seq for seq in starts if seq > stray.message.seq), None)
    return Messages((message for message in newest if start is not None and message.seq >= start), reach=REACH)


def _within(
    newest_first: Iterator[StoredMessage],
    last: int | None,
    max_tokens: int | None,
    count_tokens: Callable[[str], int],
) -> tuple[list[StoredMessage], Iterator[StoredMessage]]:
    """The newest messages that fit the limits, oldest first, and an iterator over the older ones, newest first."""
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
    """All that a view may show of the message."""
    if message.role == "reasoning":
        return ""
    return message.content + "".join(call.name + as_text(call.args) for call in message.tool_calls)


def _estimated(text: str) -> int:
    return -(-len(text.encode()) // _BYTES_A_TOKEN)


def _starts(messages: list[StoredMessage], steps: list[Step]) -> Iterator[int]:
    """The seqs of the user and system messages at which no exchange is under way."""
    results = {step.message.seq: [r.seq for call in step.calls for r in call.results] for step in steps}
    under_way = 0
    for message in messages:
        if message.role in ("user", "system") and under_way < message.seq:
            yield message.seq
        under_way = max(under_way, *results.get(message.seq, ()), 0)


def _strays(messages: list[StoredMessage], steps: list[Step]) -> list[Step]:
    """The steps of results whose call is not among the messages."""
    results = {message.seq for message in messages if message.role == "tool"}
    return [step for step in steps if step.message.seq in results]


class _Past:
    """The messages before a window, read back only as far as somebody asks."""

    def __init__(self, newest_first: Iterator[StoredMessage]) -> None:
        self._newest_first = islice(newest_first, _MOST_READ_BACK)
        self._distance = 0
        self._distance_of_call: dict[str, int] = {}

    def holds(self, call_id: str, *, within: int) -> bool:
        """Whether one of the newest messages, `within` that count as distance, makes a call with this id."""
        while call_id not in self._distance_of_call and self._distance < within:
            message = next(self._newest_first, None)
            if message is None:
                break
            self._distance += is_distance(message)
            if message.role == "assistant":
                for call in message.tool_calls:
                    self._distance_of_call.setdefault(call.id, self._distance)
        return self._distance_of_call.get(call_id, within + 1) <= within
