"""A log in memory: a real one, for tests and for programs that need no table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from messagelog import codec
from messagelog.errors import ExpectedCountError, IdempotencyMismatchError
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.storage import AlsoError, Appended


@dataclass(frozen=True, slots=True)
class MemoryAlso:
    """A condition and a change of another place in this process, guarded by a lock that one thread may take twice."""

    lock: AbstractContextManager[Any]
    holds: Callable[[], bool]
    commit: Callable[[], object] = lambda: None


class MemoryStorage:
    """Keeps one conversation in this process. Safe to use from many threads; gone with the process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: list[tuple[str, datetime]] = []  # as text, so that no reader shares an object with what is stored
        self._keys: dict[str, tuple[int, str]] = {}  # idempotency key: seq, digest

    def append(
        self,
        messages: Sequence[AgentMessage],
        *,
        expected_count: int | None = None,
        idempotency_key: str | None = None,
        also: Sequence[MemoryAlso] = (),
    ) -> Appended:
        """See `Storage.append`. Idempotency keys are kept for ever."""
        at = datetime.now(UTC)
        with self._lock, ExitStack() as locks:
            if idempotency_key in self._keys:
                return self._replayed(idempotency_key, messages)
            for place, other in enumerate(also):
                locks.enter_context(other.lock)
                if not other.holds():
                    raise AlsoError(place)
            count = len(self._rows)
            if expected_count not in (None, count):
                raise ExpectedCountError(count)
            for other in also:
                other.commit()
            self._rows += [(codec.to_line(message), at) for message in messages]
            stored = [StoredMessage.of(message, seq=count + i, at=at) for i, message in enumerate(messages, 1)]
            if idempotency_key is not None:
                self._keys[idempotency_key] = (len(self._rows), codec.digest(messages))
        return Appended(stored[-1].seq, stored)

    def _replayed(self, idempotency_key: str, messages: Sequence[AgentMessage]) -> Appended:
        seq, digest = self._keys[idempotency_key]
        if digest != codec.digest(messages):
            raise IdempotencyMismatchError
        return Appended(seq, [])

    def read(
        self, *, after: int = 0, limit: int | None = None, newest_first: bool = False, consistent: bool = True
    ) -> Iterator[StoredMessage]:
        """See `Storage.read`. Always consistent."""
        count = len(self._rows)
        seqs = range(count, after, -1) if newest_first else range(after + 1, count + 1)
        for seq in seqs if limit is None else seqs[:limit]:
            line, at = self._rows[seq - 1]
            yield codec.from_line(line, seq=seq, at=at)

    def count(self, *, consistent: bool = True) -> int:
        """See `Storage.count`. Always consistent."""
        return len(self._rows)
