"""A log in memory: a real one, for tests and for programs that need no table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from threading import Lock

from messagelog import codec
from messagelog.messages import AgentMessage, StoredMessage


class MemoryStorage:
    """Keeps one conversation in this process. Safe to use from many threads; gone with the process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lines: list[str] = []  # as text, so that no reader shares an object with what is stored

    def append(self, messages: Sequence[AgentMessage]) -> list[StoredMessage]:
        """See `Storage.append`."""
        at = datetime.now(UTC)
        with self._lock:
            first = len(self._lines) + 1
            stored = [StoredMessage.of(message, seq=first + i, at=at) for i, message in enumerate(messages)]
            self._lines += [codec.to_line(message) for message in stored]
        return stored

    def read(
        self, *, after: int = 0, limit: int | None = None, newest_first: bool = False, consistent: bool = True
    ) -> Iterator[StoredMessage]:
        """See `Storage.read`. Always consistent."""
        count = len(self._lines)
        seqs = range(count, after, -1) if newest_first else range(after + 1, count + 1)
        return (codec.from_line(self._lines[seq - 1]) for seq in islice(seqs, limit))

    def count(self, *, consistent: bool = True) -> int:
        """See `Storage.count`. Always consistent."""
        return len(self._lines)
