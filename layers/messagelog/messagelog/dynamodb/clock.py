"""DynamoDB's clock, which all processes share. No guarantee depends on the clock of a host.

Every reply of DynamoDB carries the header `Date` (RFC 9110, section 6.6.1), in whole seconds. Between two replies,
the monotonic clock of this process measures the time. That clock stops while a machine sleeps. Then the time here is
late until the next reply comes. It is never early.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary


class ServerClock:
    """The time, as the newest reply to a client gives it."""

    def __init__(self) -> None:
        self._offset: float | None = None

    def hear(self, parsed: Mapping[str, Any], **_: object) -> None:
        """Reads the time from a reply that botocore has parsed. A reply without a valid date is ignored."""
        date = parsed.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date")
        try:
            told = parsedate_to_datetime(str(date)).timestamp()
        except (TypeError, ValueError):
            return
        self._offset = told - time.monotonic()

    def now(self) -> float | None:
        """Seconds since 1970, None before the first reply."""
        return None if self._offset is None else self._offset + time.monotonic()


_clocks: WeakKeyDictionary[Any, ServerClock] = WeakKeyDictionary()
_lock = Lock()


def server_clock_of(client: Any) -> ServerClock:
    """The clock of a client: one for all conversations that share the client."""
    with _lock:
        clock = _clocks.get(client)
        if clock is None:
            clock = _clocks[client] = ServerClock()
            client.meta.events.register("after-call.dynamodb", clock.hear)
        return clock
