"""A view in pages, for replies that may only be so large.

A page is a slice of the whole view, between two cuts. A cut lies before a user or system message that begins a turn of
its own, so a page stands alone, and the pages joined are the whole view. Only where no such cut is near enough, as in a
turn larger than a page, it lies before a user message that was merged into a turn: the last turn of that page and the
first of the next are then one turn in two parts, both the user's.

Why a page needs the whole log: whether an id was used before, and so is replaced, stands in front of the page; a late
result of one of its calls stands behind it. No rule that sees less keeps both a legal id that is used once as it is and
all ids of the joined pages apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol

from messagelog.errors import MessageTooLargeError
from messagelog.messages import StoredMessage
from messagelog.views.turns import Turn, bodies


class View(Protocol):
    """The `turns` of a view module."""

    def __call__(self, messages: Iterable[StoredMessage], *, faithful: bool = False) -> list[Turn]:
        """The turns of the view of these messages."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a view. `next` is the `after` of the page behind it, None at the end."""

    messages: list[dict[str, Any]]
    next: int | None


class PageTooLargeError(MessageTooLargeError):
    """The messages `first` to `last` can only be shown together, and no page holds them.

    `next` is the `after` of the page behind them, None if they are the last.
    """

    def __init__(self, first: int, last: int, next: int | None) -> None:
        super().__init__(first, last, next)
        self.first = first
        self.last = last
        self.next = next

    def __str__(self) -> str:
        behind = "they are the last" if self.next is None else f"go on with after={self.next}"
        return f"the messages {self.first} to {self.last} belong together and do not fit one reply; {behind}"


def page(
    view: View,
    messages: Iterable[StoredMessage],
    *,
    room: int,
    size: Callable[[dict[str, Any]], int],
    after: int = 0,
    faithful: bool = False,
) -> Page:
    """As much of the view behind message `after` as `room` holds.

    `messages` is the whole log, oldest first, also what is before `after`. `size` measures one entry of the view as the
    reply carries it. An `after` that is no `next` of a page gives the view of the messages behind it, as if the log
    began there. A faithful view may be cut anywhere.
    Raises PageTooLargeError where not even the shortest page fits.
    """
    log = list(messages)
    turns = _behind(after, view, log, faithful)
    sizes = [size(turn.body) for turn in turns]
    if sum(sizes) <= room:
        return Page(bodies(turns), None)
    starts = list(accumulate(sizes, initial=0))
    whole = bisect_right(starts, room) - 1
    for index in range(whole, 0, -1):
        if faithful or _is_cut(turns, index):
            return Page(bodies(turns[:index]), turns[index].first - 1)
    for index in range(whole, -1, -1):
        head = _head(turns[index], room - starts[index], size)
        if head:
            return Page(bodies([*turns[:index], head]), head.last)
    raise _too_large(turns, log, faithful)


def _head(turn: Turn, room: int, size: Callable[[dict[str, Any]], int]) -> Turn | None:
    """As much of a turn made from several messages as the room holds, but not all of it."""
    heads = range(len(turn.joints))
    fitting = bisect_right(heads, room, key=lambda joint: size(turn.parted(joint)[0].body))
    return turn.parted(fitting - 1)[0] if fitting else None


def _behind(after: int, view: View, log: list[StoredMessage], faithful: bool) -> list[Turn]:
    turns = view(log, faithful=faithful)
    if after == 0:
        return turns
    for index, turn in enumerate(turns):
        if turn.first == after + 1 and _is_cut(turns, index):
            return turns[index:]
        for joint, (seq, _) in enumerate(turn.joints):
            if seq == after + 1:
                return [turn.parted(joint)[1], *turns[index + 1 :]]
    return view([message for message in log if message.seq > after], faithful=faithful)


def _is_cut(turns: list[Turn], index: int) -> bool:
    """Whether a page may begin with this turn: it is the user's or the system's, and behind all of the turn before."""
    begins = index == 0 or turns[index].first > turns[index - 1].last
    return begins and turns[index].body["role"] in ("user", "system")


def _too_large(turns: list[Turn], log: list[StoredMessage], faithful: bool) -> PageTooLargeError:
    starts = (
        seq
        for index, turn in enumerate(turns)
        for seq in ([turn.first] if index and (faithful or _is_cut(turns, index)) else []) + [s for s, _ in turn.joints]
    )
    start = next(starts, None)
    if start is None:
        return PageTooLargeError(turns[0].first, log[-1].seq, None)
    return PageTooLargeError(turns[0].first, start - 1, start - 1)
