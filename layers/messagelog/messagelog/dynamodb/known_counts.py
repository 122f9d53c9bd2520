"""The counts that a warm process remembers. A count may be stale, and the condition on the counter detects that."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

CAPACITY = 10_000


class KnownCounts:
    """The last known count of each (table, conversation). The least recently used ones are forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._counts: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, str]) -> int | None:
        """Returns the count remembered for this conversation, or None."""
        with self._lock:
            if key in self._counts:
                self._counts.move_to_end(key)
            return self._counts.get(key)

    def put(self, key: tuple[str, str], count: int) -> None:
        """Remembers a count that was seen."""
        with self._lock:
            self._counts[key] = count
            self._counts.move_to_end(key)
            if len(self._counts) > self._capacity:
                self._counts.popitem(last=False)

    def forget(self, key: tuple[str, str]) -> None:
        """Forgets the count of this conversation."""
        with self._lock:
            self._counts.pop(key, None)


_known_counts: WeakKeyDictionary[Any, KnownCounts] = WeakKeyDictionary()
_lock = Lock()


def known_counts_of(client: object) -> KnownCounts:
    """The counts that this client has seen. Another client may talk to another endpoint, so it has its own."""
    with _lock:
        return _known_counts.setdefault(client, KnownCounts())
