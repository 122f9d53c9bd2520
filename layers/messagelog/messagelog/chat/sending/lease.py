"""The lease of one send: taken, kept from running out while the send lasts, and given back."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any
from uuid import uuid4

from messagelog.chat.errors import LeaseLostError
from messagelog.chat.states.state import ChatState, Staged
from messagelog.errors import MessageLogError

_RENEWALS = 3  # in the time that the lease lasts, so that one or two may fail


class HeldLease:
    """`with HeldLease(state, seconds):` begins a turn, and raises SendRunningError if somebody else sends.

    It may be for a `turn` that another holder has asked for, and raises TurnDoneError if that is not open any more.
    Each has a name of its own, so that of two that were handed the same turn only one gets it at a time.
    The turn is done when the block ends without an error. A process that is killed leaves the lease to run out. One
    that was only asleep so long that another sender took the lease over is told so by `renew`, and by the log, which
    takes nothing more that carries the lease's conditions.
    """

    def __init__(self, state: ChatState, seconds: float, *, turn: str | None = None) -> None:
        self._state = state
        self._holder = uuid4().hex
        self._turn = turn or self._holder
        self._seconds = seconds
        self._done = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True, name="lease")

    def __enter__(self) -> HeldLease:
        self._lease = self._state.acquire(self._holder, seconds=self._seconds, turn=self._turn)
        self._keeper.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._done.set()
        self._keeper.join()  # a renewal behind the release would hold the next send up
        with suppress(MessageLogError):  # then it runs out by itself
            self._state.release(self._lease, done=kind is None)

    def renew(self) -> None:
        """Lets the lease run from now. Raises LeaseLostError if another sender has it."""
        self._state.renew(self._lease, seconds=self._seconds)

    def conditions(self) -> Sequence[Any]:
        """What commits with everything that the send appends."""
        return self._state.holding(self._lease)

    def unstaging(self, staged: Sequence[Staged]) -> Sequence[Any]:
        """What takes messages out of the queue, and holds the lease as `conditions` do."""
        return self._state.unstaging(staged, self._lease)

    def _keep(self) -> None:
        while not self._done.wait(self._seconds / _RENEWALS):
            try:
                self.renew()
            except LeaseLostError:
                return
            except MessageLogError:
                continue
