"""Places in the queue of a chat in DynamoDB.

A queued message's place is the time it was queued, never earlier than the one this process queued before: so each
producer's messages keep their order, and no counter makes producers wait for each other or for a send.
"""

from __future__ import annotations

import threading
import time
from uuid import uuid4


class _Producer:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next_entry(self) -> str:
        """The sort key of the next message, behind those given before by this process."""
        with self._lock:
            self._last = max(time.time_ns() // 1000, self._last + 1)
            return f"queue#{self._last:016d}#{uuid4().hex[:12]}"


producer = _Producer()
"""That of this process."""
