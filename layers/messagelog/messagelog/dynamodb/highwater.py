"""What a warm process remembers of the high-water marks. Only a guess: the counter's condition decides."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

CAPACITY = 10_000


class HighWaterMarks:
    """The last known count of each (table, conversation), the least recently used ones forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._counts: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, str]) -> int | None:
        """The count remembered for this conversation, None if there is none."""
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
        """Drops what is remembered of this conversation."""
        with self._lock:
            self._counts.pop(key, None)


_marks: WeakKeyDictionary[Any, HighWaterMarks] = WeakKeyDictionary()
_marks_lock = Lock()


def marks_of(client: object) -> HighWaterMarks:
    """The memory that goes with this client: what one endpoint says is nothing to another."""
    with _marks_lock:
        return _marks.setdefault(client, HighWaterMarks())
