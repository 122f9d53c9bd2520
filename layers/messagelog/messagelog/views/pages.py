"""A view in pages, for replies that may only be so large.

A page is a slice of the whole view, between two cuts. A cut lies before a user or system message that begins a turn of
its own, so a page stands alone, and the pages joined are the whole view. Only where no such cut is near enough, as in a
turn larger than a page, it lies before a user message that was merged into a turn: the last turn of that page and the
first of the next are then one turn in two parts, both the user's. A faithful view mends nothing, and is cut anywhere.

Why a page needs the whole log: whether an id was used before, and so is replaced, stands in front of the page; a late
result of one of its calls stands behind it. No rule that sees less keeps both a legal id that is used once as it is and
all ids of the joined pages apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

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
    reply carries it. Where no cut lies at `after`, the page begins at the last one before it.
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
    """The view from the last cut before all that it shows of the messages behind `after`."""
    turns = view(log, faithful=faithful)
    behind = (message for message in log if message.seq > after)
    begin = next((message.seq for message in behind if view([message], faithful=faithful)), None)
    if begin is None:
        return []
    before = [cut for cut in _cuts(turns, faithful) if cut.seq <= begin]
    if not before:
        return turns
    _, index, joint = before[-1]
    return turns[index:] if joint is None else [turns[index].parted(joint)[1], *turns[index + 1 :]]


class _Cut(NamedTuple):
    """Where a page may begin: with message `seq`, at the start of a turn or at one of its joints."""

    seq: int
    turn: int
    joint: int | None


def _cuts(turns: list[Turn], faithful: bool) -> Iterator[_Cut]:
    for index, turn in enumerate(turns):
        if faithful or _is_cut(turns, index):
            yield _Cut(turn.first, index, None)
        for joint, (seq, _) in enumerate(turn.joints):
            yield _Cut(seq, index, joint)


def _is_cut(turns: list[Turn], index: int) -> bool:
    """Whether a page may begin with this turn: it is the user's or the system's, and behind all of the turn before."""
    begins = index == 0 or turns[index].first > turns[index - 1].last
    return begins and turns[index].body["role"] in ("user", "system")


def _too_large(turns: list[Turn], log: list[StoredMessage], faithful: bool) -> PageTooLargeError:
    begin = next((cut.seq for cut in _cuts(turns, faithful) if cut.seq > turns[0].first), None)
    if begin is None:
        return PageTooLargeError(turns[0].first, log[-1].seq, None)
    return PageTooLargeError(turns[0].first, begin - 1, begin - 1)
