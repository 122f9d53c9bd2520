"""The lease of one send: taken, renewed while the send lasts, and given back."""

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

_RENEWALS = 3  # while the lease lasts, so that one or two may fail


class HeldLease:
    """`with HeldLease(state, seconds):` begins a turn and holds the lease for it.

    The turn is done when the block ends without an error. If a process is killed, its lease runs out. If a
    process sleeps until another sender takes the lease over, `renew` raises LeaseLostError, and the log refuses appends
    with the conditions of the old lease. Each lease has its own holder name. So if two workers get the same turn, only
    one of them holds the lease at a time.

    Args:
        state: The chat's state.
        seconds: How long the lease lasts after each renewal.
        turn: The name of the holder whose turn is taken over. By default a new turn begins.

    Raises:
        SendRunningError: Another holder has the lease.
        TurnDoneError: The turn is not open any more.
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
        self._keeper.join()  # a renewal after the release would hold up the next send
        with suppress(MessageLogError):  # then it runs out by itself
            self._state.release(self._lease, done=kind is None)

    @property
    def start(self) -> int:
        """The seq after which the chat's window begins. It stays there as long as the lease is held."""
        return self._lease.start

    def renew(self) -> None:
        """Extends the lease by its full duration from now. Raises LeaseLostError if another sender has it."""
        self._state.renew(self._lease, seconds=self._seconds)

    def conditions(self) -> Sequence[Any]:
        """Returns conditions for an append of this send."""
        return self._state.holding(self._lease)

    def unstaging(self, staged: Sequence[Staged]) -> Sequence[Any]:
        """Returns conditions for an append of this send that takes messages out of the queue."""
        return self._state.unstaging(staged, self._lease)

    def _keep(self) -> None:
        while not self._done.wait(self._seconds / _RENEWALS):
            try:
                self.renew()
            except LeaseLostError:
                return
            except MessageLogError:
                continue
