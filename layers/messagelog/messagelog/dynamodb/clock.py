"""DynamoDB's own time, which all processes share: no promise rests on the clock of a host.

Every reply of DynamoDB carries the header `Date` (RFC 9110, section 6.6.1), in whole seconds. The monotonic clock of
this process carries it on until the next reply. That clock stands still while a machine sleeps: then the time here lags
until the next reply comes. It never runs ahead.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary


class ServerClock:
    """The time by the newest reply that a client has got."""

    def __init__(self) -> None:
        self._offset: float | None = None

    def hear(self, parsed: Mapping[str, Any], **_: object) -> None:
        """Takes the time from a reply, parsed by botocore. A reply without a readable date is passed over."""
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
