"""A log in memory, for tests and for programs that do not need a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from messagelog import codec
from messagelog.errors import ExpectedCountError, IdempotencyMismatchError
from messagelog.messages import StoredMessage
from messagelog.storage import Append, Appended, ConditionFailedError


@dataclass(frozen=True, slots=True)
class MemoryCondition:
    """A condition on other data in this process, and a change of that data that commits with the messages.

    `lock` protects that data. It must be reentrant.
    """

    lock: AbstractContextManager[Any]
    holds: Callable[[], bool]
    commit: Callable[[], object] = lambda: None


class MemoryStorage:
    """Keeps one conversation in this process. It is thread-safe. The messages are lost when the process ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: list[tuple[str, datetime]] = []  # as text, so that no reader shares an object with the storage
        self._keys: dict[str, tuple[int, str]] = {}  # idempotency key: seq, digest

    def append(self, append: Append) -> Appended:
        """See `Storage.append`. Idempotency keys never expire. The conditions are `MemoryCondition`s."""
        at = datetime.now(UTC)
        key = append.idempotency_key
        with self._lock, ExitStack() as locks:
            if key in self._keys:
                return self._replayed(key, append)
            for place, condition in enumerate(append.conditions):
                locks.enter_context(condition.lock)
                if not condition.holds():
                    raise ConditionFailedError(place)
            count = len(self._rows)
            if append.expected_count not in (None, count):
                raise ExpectedCountError(count)
            for condition in append.conditions:
                condition.commit()
            self._rows += [(codec.to_line(message), at) for message in append.messages]
            if key is not None:
                self._keys[key] = (len(self._rows), codec.digest(append.messages))
        stored = (StoredMessage.of(message, seq=count + i, at=at) for i, message in enumerate(append.messages, 1))
        return Appended(count + len(append.messages), tuple(stored))

    def _replayed(self, key: str, append: Append) -> Appended:
        seq, digest = self._keys[key]
        if digest != codec.digest(append.messages):
            raise IdempotencyMismatchError
        return Appended(seq, replayed=True)

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
