"""Splits a view into pages, for replies of a limited size.

A page is the part of the whole view between two cuts, so all pages together are the whole view. The kinds of cuts, the
best first, are below. A page ends at a cut of the best kind that has a fitting cut, and at the last such cut:

1. TURN, before a user or system message that begins a turn of its own. The next page does not have to be joined.
2. JOINED, before a user message that was merged into a turn. The last turn of the page and the first turn of the next
   page are then two parts of one user turn.
3. ASSISTANT, before a message of the assistant, after all results. An agent can work for longer than a page. The next
   page then begins with the assistant, maybe with the rest of its turn, and the caller joins the two pages.

No cut separates a call from its results. A faithful view repairs nothing and may be cut at any message.

To make a page, the whole log is needed. An id that was used before the page is replaced, and a late result of a call of
the page may come after the page. Without the whole log, a rule cannot both keep a legal id that is used once and make
all ids of the joined pages unique.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate
from typing import Any, NamedTuple, Protocol, TypeAlias

from messagelog.errors import MessageTooLargeError
from messagelog.messages import Messages, StoredMessage
from messagelog.views.exchanges import UNANSWERED, calls_of
from messagelog.views.target import EVERYTHING, Target
from messagelog.views.turns import ProviderMessage, Turn, bodies

Size: TypeAlias = Callable[[dict[str, Any]], int]


class View(Protocol):
    """The function `turns` of a view module."""

    def __call__(self, messages: Sequence[StoredMessage], target: Target = EVERYTHING) -> list[Turn]:
        """Returns the turns of the view of these messages."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a view.

    Attributes:
        messages: The entries of the view.
        next: The `after` of the next page; None at the end.
    """

    messages: list[ProviderMessage]
    next: int | None


class PageTooLargeError(MessageTooLargeError):
    """Messages that must be shown together do not fit into one page.

    Attributes:
        first: The seq of the first of them.
        last: The seq of the last of them.
        next: The `after` of the page after them; None if they are the last.
    """

    def __init__(self, first: int, last: int, next: int | None) -> None:
        super().__init__(first, last, next)
        self.first = first
        self.last = last
        self.next = next

    def __str__(self) -> str:
        rest = "they are the last" if self.next is None else f"continue with after={self.next}"
        return f"the messages {self.first} to {self.last} belong together and do not fit into one reply; {rest}"


def page(
    view: View,
    messages: Iterable[StoredMessage],
    *,
    room: int,
    size: Size,
    after: int = 0,
    target: Target = EVERYTHING,
) -> Page:
    """Returns as much of the view after message `after` as fits into the room.

    Args:
        view: The function `turns` of a view module.
        messages: The whole log or window, oldest first, with the messages up to `after`.
        room: The largest size of all entries of the page.
        size: Measures one entry as the reply carries it, in the unit of `room`.
        after: The seq after which the page begins. If no cut is there, it begins at the last cut before.
        target: The receiver of the view.

    Raises:
        PageTooLargeError: Even the shortest page is too large.
    """
    log = messages if isinstance(messages, Messages) else Messages(messages)
    turns = _turns_after(after, view, log, target=target, room=room, size=size)
    starts = list(accumulate((size(turn.body) for turn in turns), initial=0))
    if starts[-1] <= room:
        return Page(bodies(turns), None)
    cuts = [cut for cut in _cuts(turns, target.faithful) if cut.seq > turns[0].first]
    end = _last_within(room, turns, starts, cuts, size)
    if end:
        return Page(bodies(_split(turns, end)[0]), end.seq - 1)
    if not cuts:
        raise PageTooLargeError(turns[0].first, log[-1].seq, None)
    raise PageTooLargeError(turns[0].first, cuts[0].seq - 1, cuts[0].seq - 1)


class _Kind(Enum):
    """The kinds of cuts, the best first. The docstring of this module describes them."""

    TURN = auto()
    JOINED = auto()
    ASSISTANT = auto()


class _Cut(NamedTuple):
    """A place where a page may begin: with message `seq`, at the start of a turn or at one of its joints."""

    kind: _Kind
    seq: int
    turn: int
    joint: int | None = None


def _cuts(turns: list[Turn], faithful: bool) -> Iterator[_Cut]:
    """Yields every cut, in the order of the view. There is no cut between two turns of the same message."""
    for index, turn in enumerate(turns):
        users = turn.body.get("role") in ("user", "system")
        if faithful or index == 0:
            yield _Cut(_Kind.TURN, turn.first, index)
        elif turn.first > turns[index - 1].last:
            yield _Cut(_Kind.TURN if users else _Kind.ASSISTANT, turn.first, index)
        for joint, (seq, _) in enumerate(turn.joints):
            yield _Cut(_Kind.JOINED if users else _Kind.ASSISTANT, seq, index, joint)


def _split(turns: list[Turn], cut: _Cut) -> tuple[list[Turn], list[Turn]]:
    """Returns the turns before a cut, and those after it."""
    if cut.joint is None:
        return turns[: cut.turn], turns[cut.turn :]
    head, rest = turns[cut.turn].parted(cut.joint)
    return [*turns[: cut.turn], head], [rest, *turns[cut.turn + 1 :]]


def _last_within(room: int, turns: list[Turn], starts: list[int], cuts: list[_Cut], size: Size) -> _Cut | None:
    """Returns the last cut, of the best possible kind, such that all turns before it fit into the room."""
    whole = bisect_right(starts, room) - 1

    def is_too_far(cut: _Cut) -> bool:
        if cut.joint is None or cut.turn != whole:
            return cut.turn > whole
        return starts[whole] + size(turns[whole].parted(cut.joint)[0].body) > room

    for kind in _Kind:
        of_kind = [cut for cut in cuts if cut.kind is kind]
        within = bisect_left(of_kind, True, key=is_too_far)
        if within:
            return of_kind[within - 1]
    return None


def _turns_after(
    after: int, view: View, log: list[StoredMessage], *, target: Target, room: int, size: Size
) -> list[Turn]:
    """Returns the view from the last cut that is not later than the first shown message after `after`."""
    turns = view(log, target)
    cuts = list(_cuts(turns, target.faithful))
    later = (message for message in log if message.seq > after)
    begin = next((message.seq for message in later if view([message], target)), None)
    if begin is None or not cuts:
        return []
    # A window may leave out what is shown alone, such as thinking of another window, so that no cut is before it.
    start = next((cut for cut in reversed(cuts) if cut.seq <= begin), cuts[0])
    if start.kind is _Kind.ASSISTANT:
        better = [cut for cut in cuts if cut.kind is not _Kind.ASSISTANT]
        before = [cut for cut in better if cut.seq <= begin][-1]
        end = next((cut for cut in better if cut.seq > begin), None)
        stretch = _split(_split(turns, end)[0] if end else turns, before)[1]
        shown = [message for message in log if before.seq <= message.seq and (end is None or message.seq < end.seq)]
        if _largest(stretch, shown, size) <= room:
            start = before
    return _split(turns, start)[1]


def _largest(stretch: list[Turn], messages: list[StoredMessage], size: Size) -> int:
    """Returns the largest size that these turns of these messages can have had in a shorter log.

    A page ends before a message of the assistant only if everything between the two better cuts around it is too large
    for one page. As the log grows, that part can become smaller in one way: a result replaces the longer sentence of an
    unanswered call. So this size adds one such sentence for each call. Then a page can still begin at the `next` of an
    earlier page.
    """
    calls = sum(len(calls_of(message)) for message in messages)
    return sum(size(turn.body) for turn in stretch) + calls * size({"content": UNANSWERED, "is_error": True})
