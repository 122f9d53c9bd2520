"""A view in pages, for replies that may only be so large.

A page is a slice of the whole view, between two cuts, so the pages joined are the whole view. It ends at the last cut
of the first kind that is near enough:

1. before a user or system message that begins a turn of its own, so the page stands alone;
2. before a user message that was merged into a turn: the last turn of that page and the first of the next are then one
   turn in two parts, both the user's;
3. before a message of the assistant, behind all results: an agent that works for itself may go on for longer than a
   page. The next page then begins with the assistant, and maybe with the rest of its turn: it is there to be joined.

No cut parts a call from its results. A faithful view mends nothing, and is cut anywhere.

Why a page needs the whole log: whether an id was used before, and so is replaced, stands in front of the page; a late
result of one of its calls stands behind it. No rule that sees less keeps both a legal id that is used once as it is and
all ids of the joined pages apart.
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
from messagelog.views.turns import Turn, bodies

Size: TypeAlias = Callable[[dict[str, Any]], int]


class View(Protocol):
    """The `turns` of a view module."""

    def __call__(self, messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[Turn]:
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
    size: Size,
    after: int = 0,
    faithful: bool = False,
) -> Page:
    """As much of the view behind message `after` as `room` holds.

    `messages` is the whole log, oldest first, also what is before `after`. `size` measures one entry of the view as the
    reply carries it. Where no cut lies at `after`, the page begins at the last one before it.
    Raises PageTooLargeError where not even the shortest page fits.
    """
    log = messages if isinstance(messages, Messages) else Messages(messages)
    turns = _behind(after, view, log, faithful=faithful, room=room, size=size)
    starts = list(accumulate((size(turn.body) for turn in turns), initial=0))
    if starts[-1] <= room:
        return Page(bodies(turns), None)
    cuts = [cut for cut in _cuts(turns, faithful) if cut.seq > turns[0].first]
    end = _last_within(room, turns, starts, cuts, size)
    if end:
        return Page(bodies(_split(turns, end)[0]), end.seq - 1)
    if not cuts:
        raise PageTooLargeError(turns[0].first, log[-1].seq, None)
    raise PageTooLargeError(turns[0].first, cuts[0].seq - 1, cuts[0].seq - 1)


class _Kind(Enum):
    """The kinds of cuts, the best first, as the module describes them."""

    TURN = auto()
    JOINED = auto()
    ASSISTANT = auto()


class _Cut(NamedTuple):
    """Where a page may begin: with message `seq`, at the start of a turn or at one of its joints."""

    kind: _Kind
    seq: int
    turn: int
    joint: int | None = None


def _cuts(turns: list[Turn], faithful: bool) -> Iterator[_Cut]:
    """Every cut, in the order of the view. Where two turns stand for one message, no cut lies between them."""
    for index, turn in enumerate(turns):
        users = turn.body["role"] in ("user", "system")
        if faithful or index == 0:
            yield _Cut(_Kind.TURN, turn.first, index)
        elif turn.first > turns[index - 1].last:
            yield _Cut(_Kind.TURN if users else _Kind.ASSISTANT, turn.first, index)
        for joint, (seq, _) in enumerate(turn.joints):
            yield _Cut(_Kind.JOINED if users else _Kind.ASSISTANT, seq, index, joint)


def _split(turns: list[Turn], cut: _Cut) -> tuple[list[Turn], list[Turn]]:
    """The turns before a cut, and those behind it."""
    if cut.joint is None:
        return turns[: cut.turn], turns[cut.turn :]
    head, rest = turns[cut.turn].parted(cut.joint)
    return [*turns[: cut.turn], head], [rest, *turns[cut.turn + 1 :]]


def _last_within(room: int, turns: list[Turn], starts: list[int], cuts: list[_Cut], size: Size) -> _Cut | None:
    """Of the best kind that has any, the last cut with no more before it than the room holds."""
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


def _behind(after: int, view: View, log: list[StoredMessage], *, faithful: bool, room: int, size: Size) -> list[Turn]:
    """The view from the last cut before all that it shows of the messages behind `after`.

    That is a cut before the assistant only where no page may have held all between the two better ones around it:
    elsewhere no page ends there, and who asks for that place gets a page that stands alone. As the log grows, what is
    between two cuts gets smaller only by results shorter than the sentence that stood for them: so each call counts as
    one sentence more, and the `next` of a page stays a place to begin.
    """
    turns = view(log, faithful=faithful)
    behind = (message for message in log if message.seq > after)
    begin = next((message.seq for message in behind if view([message], faithful=faithful)), None)
    if begin is None:
        return []
    cuts = list(_cuts(turns, faithful))
    last = [cut for cut in cuts if cut.seq <= begin][-1]
    if last.kind is _Kind.ASSISTANT:
        better = [cut for cut in cuts if cut.kind is not _Kind.ASSISTANT]
        start = [cut for cut in better if cut.seq <= begin][-1]
        end = next((cut for cut in better if cut.seq > begin), None)
        between = _split(_split(turns, end)[0] if end else turns, start)[1]
        calls = sum(len(calls_of(m)) for m in log if start.seq <= m.seq and (end is None or m.seq < end.seq))
        sentence = size({"content": UNANSWERED, "is_error": True})
        if sum(size(turn.body) for turn in between) + calls * sentence <= room:
            last = start
    return _split(turns, last)[1]
