"""A lease that is held: it is renewed while the send lasts, and given back after it."""

from __future__ import annotations

import threading

import pytest
from messagelog import LeaseLostError, SendRunningError, StorageUnavailableError
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.sending.lease import HeldLease
from messagelog.chat.states.state import Lease


class Watched(MemoryChatState):
    """Tells of renewals, and fails as it is told."""

    def __init__(self) -> None:
        super().__init__(clock=lambda: 0.0)
        self.renewals = threading.Semaphore(0)
        self.faults: list[Exception] = []
        self.released = False

    def renew(self, lease: Lease, *, seconds: float) -> None:
        self.renewals.release()
        assert not self.released
        if self.faults:
            raise self.faults.pop()
        super().renew(lease, seconds=seconds)

    def release(self, lease: Lease, *, done: bool = False) -> None:
        if self.faults:
            raise self.faults.pop()
        self.released = True
        super().release(lease, done=done)


class TestHeldLease:
    def test_it_is_renewed_also_after_a_failure(self) -> None:
        state = Watched()
        state.faults = [StorageUnavailableError("made up for a test")] * 2
        with HeldLease(state, 0.003):
            for _ in range(5):
                assert state.renewals.acquire(timeout=60)
        assert state.released

    def test_a_lost_lease_is_not_renewed(self) -> None:
        state = Watched()
        state.faults = [LeaseLostError()]
        with HeldLease(state, 0.003) as lease:
            assert state.renewals.acquire(timeout=60)
            lease._keeper.join(60)
            assert not lease._keeper.is_alive()

    def test_a_failed_release_is_not_an_error_of_the_send(self) -> None:
        state = Watched()
        with HeldLease(state, 60):
            state.faults = [StorageUnavailableError("made up for a test")]
        assert not state.released

    def test_nobody_renews_it_after_the_end(self) -> None:
        state = Watched()
        with HeldLease(state, 0.003) as lease:
            assert state.renewals.acquire(timeout=60)
        assert not lease._keeper.is_alive()

    def test_a_refused_lease_is_not_renewed(self) -> None:
        state = Watched()
        state.acquire("another", seconds=60)
        with pytest.raises(SendRunningError), HeldLease(state, 0.003):
            pass
        assert not state.released
        assert not [thread for thread in threading.enumerate() if thread.name == "lease"]
