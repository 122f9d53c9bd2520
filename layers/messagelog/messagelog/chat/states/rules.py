"""The rules for a chat's state item: the lease, the open turn, the window, and the drained part of the queue.

Each rule takes what it needs to know and returns a `Change`: conditions, and what to set where they hold. The memory
state evaluates the conditions under its lock; the DynamoDB state sends them with the change. A missing attribute counts
as 0 or "".

    rule       refuses at once with                    commits only if                    sets
    ---------  --------------------------------------  ---------------------------------  --------------------------
    acquire    TurnDoneError: `turn` is not the new    `fence`, `lease_end` as seen       holder, lease_end, turn,
               holder, the open turn or the last                                          fence + 1
               holder; SendRunningError: the lease
               runs, and neither its holder nor the
               one of `turn` asks
    renew                                              `fence` is the lease's, and the    lease_end
                                                       lease was not released
    release                                            the same                           lease_end = 0;
                                                                                          turn = "" if it is done
    move                                               the lease does not run; the        cleared, start, fence + 1,
                                                       window is as seen                  lease_end = 0, turn = ""
    holding                                            `fence` is the lease's             nothing
    draining                                           `fence` is the lease's, if there   drained, if the entries are
                                                       is one; `drained` is before or     beyond it
                                                       beyond the entries, as seen
    undrained                                          `drained` is before the entry      nothing

The lease runs while `lease_end` is later than now. A release sets it to 0. Each acquire and each move raises `fence`,
so that an earlier holder, which knows only an earlier fence, cannot write any more.

A turn is open from the acquire that names it until a release says that it is done, or until the window moves. If a
holder took the lease without naming a turn, and the lease ran out, a turn with the holder's name counts as open,
because its worker may start late. A turn that was begun earlier has priority over that turn.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TypeAlias

from messagelog.chat.errors import SendRunningError, TurnDoneError
from messagelog.chat.states.state import Lease, Progress, Window

Value: TypeAlias = int | str

OPERATORS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class StateItem:
    """The state item of a chat.

    Attributes:
        cleared: The count of the log at the last clear.
        start: The seq after which the window begins.
        holder: The sender that took the lease last.
        fence: Grows with each lease, and each time that the window moves.
        lease_end: When the lease runs out, in milliseconds since 1970; 0 if it was released.
        turn: The turn that was begun and is not done.
        drained: The largest entry that a drain ever took out of the queue.
        moved: A random id of the last move of the window.
    """

    cleared: int = 0
    start: int = 0
    holder: str = ""
    fence: int = 0
    lease_end: int = 0
    turn: str = ""
    drained: str = ""
    moved: str = ""

    @property
    def window(self) -> Window:
        """Where the chat's window is."""
        return Window(self.cleared, self.start)

    @property
    def open_turn(self) -> str:
        """The turn that was begun; otherwise the turn that the holder of an unreleased lease may still begin."""
        return self.turn or (self.holder if self.lease_end else "")

    def is_running(self, now: int) -> bool:
        """Whether somebody holds a lease that has not run out at `now`, in milliseconds since 1970."""
        return self.lease_end > now

    def progress(self, now: int) -> Progress:
        """The progress of the last turn at `now`."""
        running = self.is_running(now)
        return Progress(running, failed=bool(self.open_turn) and not running)


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of an attribute with a value. A missing attribute counts as 0 or ""."""

    attribute: str
    operator: str
    value: Value

    def holds(self, item: StateItem) -> bool:
        """Whether it holds for an item."""
        return bool(OPERATORS[self.operator](getattr(item, self.attribute), self.value))

    @property
    def holds_without(self) -> bool:
        """Whether it holds for an item that does not have the attribute."""
        return bool(OPERATORS[self.operator](type(self.value)(), self.value))


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a state item: the attributes to set, and the conditions for it.

    Attributes:
        conditions: All of them must hold.
        new: The attributes to set. If it is empty, the change is only a check.
        raises_fence: Whether `fence` grows by one.
    """

    conditions: tuple[Condition, ...]
    new: Mapping[str, Value] = field(default_factory=dict)
    raises_fence: bool = False

    def holds(self, item: StateItem) -> bool:
        """Whether all conditions hold for an item."""
        return all(condition.holds(item) for condition in self.conditions)

    def applied(self, item: StateItem) -> StateItem:
        """The item after the change."""
        return replace(item, fence=item.fence + self.raises_fence, **self.new)  # type: ignore[arg-type]

    def once(self, seen: StateItem) -> Change:
        """Returns the same change with one more condition: exactly this fence and lease. So it commits at most once."""
        as_seen = (Condition("fence", "=", seen.fence), Condition("lease_end", "=", seen.lease_end))
        return replace(self, conditions=(*self.conditions, *as_seen))


class Outcome(Enum):
    """Whether a write was done."""

    DONE = auto()
    NEVER = auto()  # not done, and a try that is still running cannot be done later
    OPEN = auto()  # the item does not show whether it was done


def outcome_of(change: Change, seen: StateItem, found: StateItem, *, is_own: bool) -> Outcome:
    """Returns the outcome of a change that was made `once` from `seen`. The item that was read afterwards shows it.

    Args:
        change: The change.
        seen: The item from which it was made.
        found: The item as it is now, read strongly.
        is_own: Whether the item found shows that this change raised the fence of `seen`.
    """
    if is_own:
        return Outcome.DONE
    # A fence that has gone further may have passed this very change.
    if change.holds(found) or found.fence > seen.fence + 1:
        return Outcome.OPEN
    return Outcome.NEVER


def acquire(item: StateItem, holder: str, turn: str | None, *, now: int, end: int) -> Change:
    """Gives the lease to `holder` until `end`. See `ChatState.acquire` for the turn."""
    if turn not in (None, holder, item.turn, item.holder):
        raise TurnDoneError
    if item.is_running(now) and item.holder not in (holder, turn):
        raise SendRunningError
    new: dict[str, Value] = {"lease_end": end, "holder": holder, "turn": turn or item.open_turn}
    return Change((), new, raises_fence=True).once(item)


def renew(lease: Lease, *, end: int) -> Change:
    """Lets the lease run until `end`."""
    return Change(_held(lease), {"lease_end": end})


def release(lease: Lease, *, done: bool) -> Change:
    """Gives the lease back. `done` says that the open turn came to its end."""
    new: dict[str, Value] = {"lease_end": 0}
    return Change(_held(lease), {**new, "turn": ""} if done else new)


def move(window: Window, seen: Window | None, *, now: int) -> Change:
    """Moves the window if it is still where it was `seen`, and ends every lease and turn."""
    conditions = [Condition("lease_end", "<=", now)]
    if seen is not None:
        conditions += [Condition("cleared", "=", seen.cleared), Condition("start", "=", seen.start)]
    new: dict[str, Value] = {"cleared": window.cleared, "start": window.start, "lease_end": 0, "turn": ""}
    return Change(tuple(conditions), new, raises_fence=True)


def holding(lease: Lease) -> Change:
    """Checks that no other sender took the lease over, and that the window did not move."""
    return Change((Condition("fence", "=", lease.fence),))


def draining(item: StateItem, last: str, lease: Lease | None) -> Change:
    """Records that the queue was drained up to `last`. The record never goes backwards."""
    conditions = () if lease is None else holding(lease).conditions
    if item.drained >= last:
        return Change((*conditions, Condition("drained", ">=", last)))
    return Change((*conditions, Condition("drained", "<", last)), {"drained": last})


def undrained(entry: str) -> Change:
    """Checks that this entry cannot have been drained."""
    return Change((Condition("drained", "<", entry),))


def _held(lease: Lease) -> tuple[Condition, ...]:
    return Condition("fence", "=", lease.fence), Condition("lease_end", ">", 0)
