"""Chat state in memory: a real one, for tests and for programs that need no table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import RLock

from messagelog import codec
from messagelog.chat.errors import LeaseLostError, PromptChangedError, SendRunningError, TurnDoneError
from messagelog.chat.states.state import Lease, Progress, Staged, System, Window
from messagelog.memory import MemoryCondition
from messagelog.messages import AgentMessage


class MemoryChatState:
    """Keeps one conversation's chat state in this process, beside a MemoryStorage. See `ChatState`.

    `clock` tells the time in seconds, for the leases.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._lock = RLock()
        self._clock = clock
        self._window = Window()
        self._system = System()
        self._queue: dict[str, AgentMessage] = {}
        self._queued = 0
        self._lease = Lease("", 0)
        self._lease_end = 0.0
        self._turn = ""

    def window(self) -> Window:
        """See `ChatState.window`."""
        return self._window

    def is_running(self) -> bool:
        """See `ChatState.is_running`."""
        return self._lease_end > self._clock()

    def progress(self) -> Progress:
        """See `ChatState.progress`."""
        with self._lock:
            running = self.is_running()
            return Progress(running, failed=bool(self._open_turn()) and not running)

    def move(self, window: Window, *, system: System | None = None, seen: Window | None = None) -> int:
        """See `ChatState.move`."""
        with self._lock:
            if not self._may_move(seen):
                raise SendRunningError
            self._window = window
            self._lease = Lease(self._lease.holder, self._lease.fence + 1)
            self._lease_end, self._turn = 0.0, ""
            if system is None:
                return 0
            self._system = System(system.tree, self._system.version + 1)
            return self._system.version

    def moving(self, window: Window, *, seen: Window | None = None) -> Sequence[MemoryCondition]:
        """See `ChatState.moving`."""
        return [MemoryCondition(self._lock, lambda: self._may_move(seen), lambda: self.move(window))]

    def _may_move(self, seen: Window | None) -> bool:
        return not self.is_running() and seen in (None, self._window)

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

    def unstaging(self, staged: Sequence[Staged]) -> Sequence[MemoryCondition]:
        """See `ChatState.unstaging`."""

        def taking(entry: str) -> MemoryCondition:
            return MemoryCondition(self._lock, lambda: entry in self._queue, lambda: self._take(entry))

        return [taking(each.entry) for each in staged]

    def _take(self, entry: str) -> None:
        del self._queue[entry]

    def discard(self, staged: Sequence[Staged]) -> None:
        """See `ChatState.discard`. There is nothing to do."""

    def acquire(self, holder: str, *, seconds: float, turn: str | None = None) -> Lease:
        """See `ChatState.acquire`."""
        with self._lock:
            if turn not in (None, holder, self._turn, self._lease.holder):
                raise TurnDoneError
            if self.is_running() and self._lease.holder not in (holder, turn):
                raise SendRunningError
            self._turn = turn or self._open_turn()
            self._lease = Lease(holder, self._lease.fence + 1)
            self._lease_end = self._clock() + seconds
            return self._lease

    def _open_turn(self) -> str:
        """The turn that was begun and is not done; else that of a holder who was to begin one and kept the lease."""
        return self._turn or (self._lease.holder if self._lease_end else "")

    def renew(self, lease: Lease, *, seconds: float) -> None:
        """See `ChatState.renew`."""
        with self._lock:
            if lease != self._lease or self._lease_end == 0.0:
                raise LeaseLostError
            self._lease_end = self._clock() + seconds

    def release(self, lease: Lease, *, done: bool = False) -> None:
        """See `ChatState.release`."""
        with self._lock:
            if lease == self._lease:
                self._lease_end = 0.0
                self._turn = "" if done else self._turn

    def holding(self, lease: Lease) -> Sequence[MemoryCondition]:
        """See `ChatState.holding`."""
        return [MemoryCondition(self._lock, lambda: lease == self._lease)]
