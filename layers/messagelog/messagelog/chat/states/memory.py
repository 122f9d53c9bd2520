"""Chat state in memory, for tests and for programs that do not need a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import RLock

from messagelog import codec
from messagelog.chat.errors import LeaseLostError, PromptChangedError, SendRunningError
from messagelog.chat.states import rules
from messagelog.chat.states.rules import Change, StateItem
from messagelog.chat.states.state import Lease, Progress, Staged, System, Window
from messagelog.memory import MemoryCondition
from messagelog.messages import AgentMessage


class MemoryChatState:
    """Keeps one conversation's chat state in this process, for a log in a MemoryStorage. See `ChatState`.

    Args:
        clock: Tells the time in seconds, for the leases.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._lock = RLock()
        self._clock = clock
        self._item = StateItem()
        self._system = System()
        self._queue: dict[str, AgentMessage] = {}
        self._queued = 0

    def window(self) -> Window:
        """See `ChatState.window`."""
        return self._item.window

    def is_running(self) -> bool:
        """See `ChatState.is_running`."""
        return self._item.is_running(self._now())

    def progress(self) -> Progress:
        """See `ChatState.progress`."""
        return self._item.progress(self._now())

    def move(self, window: Window, *, system: System | None = None, seen: Window | None = None) -> int:
        """See `ChatState.move`."""
        with self._lock:
            if not self._change(rules.move(window, seen, now=self._now())):
                raise SendRunningError
            if system is None:
                return 0
            self._system = System(system.tree, self._system.version + 1)
            return self._system.version

    def moving(self, window: Window, *, seen: Window | None = None) -> Sequence[MemoryCondition]:
        """See `ChatState.moving`."""
        return [self._condition(rules.move(window, seen, now=self._now()))]

    def system(self) -> System:
        """See `ChatState.system`."""
        return self._system

    def put_system(self, tree: str, *, version: int) -> System:
        """See `ChatState.put_system`."""
        with self._lock:
            if version != self._system.version:
                raise PromptChangedError(self._system.version)
            self._system = System(tree, version + 1)
            return self._system

    def enqueue(self, message: AgentMessage) -> None:
        """See `ChatState.enqueue`."""
        with self._lock:
            self._queued += 1
            self._queue[f"{self._queued:012d}"] = codec.parse(message)

    def staged(self, *, limit: int, up_to: str | None = None) -> Sequence[Staged]:
        """See `ChatState.staged`."""
        with self._lock:
            entries = [entry for entry in self._queue if up_to is None or entry <= up_to]
            return [Staged(entry, codec.parse(self._queue[entry])) for entry in entries[:limit]]

    def last_staged(self) -> str | None:
        """See `ChatState.last_staged`."""
        with self._lock:
            return next(reversed(self._queue), None)

    def unstaging(self, staged: Sequence[Staged], lease: Lease | None = None) -> Sequence[MemoryCondition]:
        """See `ChatState.unstaging`."""
        drained = rules.draining(self._item, max(each.entry for each in staged), lease)
        return [*(self._taking(each.entry) for each in staged), self._condition(drained)]

    def discard(self, staged: Sequence[Staged]) -> None:
        """See `ChatState.discard`. There is nothing to do."""

    def acquire(self, holder: str, *, seconds: float, turn: str | None = None) -> Lease:
        """See `ChatState.acquire`."""
        with self._lock:
            self._change(rules.acquire(self._item, holder, turn, now=self._now(), end=self._end(seconds)))
            return Lease(holder, self._item.fence, self._item.start)

    def renew(self, lease: Lease, *, seconds: float) -> None:
        """See `ChatState.renew`."""
        with self._lock:
            if not self._change(rules.renew(lease, end=self._end(seconds))):
                raise LeaseLostError

    def release(self, lease: Lease, *, done: bool = False) -> None:
        """See `ChatState.release`."""
        with self._lock:
            self._change(rules.release(lease, done=done))

    def holding(self, lease: Lease) -> Sequence[MemoryCondition]:
        """See `ChatState.holding`."""
        return [self._condition(rules.holding(lease))]

    def _change(self, change: Change) -> bool:
        """Makes a change if its conditions hold, and returns whether they did. The caller holds the lock."""
        if not change.holds(self._item):
            return False
        self._item = change.applied(self._item)
        return True

    def _condition(self, change: Change) -> MemoryCondition:
        return MemoryCondition(self._lock, lambda: change.holds(self._item), lambda: self._change(change))

    def _taking(self, entry: str) -> MemoryCondition:
        return MemoryCondition(self._lock, lambda: entry in self._queue, lambda: self._queue.pop(entry))

    def _now(self) -> int:
        return int(1000 * self._clock())

    def _end(self, seconds: float) -> int:
        return int(1000 * (self._clock() + seconds))
