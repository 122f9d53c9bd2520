"""What a storage did, in numbers. Whoever gives it a Counters may report them; the storage need not know to whom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Sums over the storages that were given this, in one thread.

    `bytes` are those of the rows and segments written, as DynamoDB counts them; `conflicts` the transactions that lost
    to another writer; `retries` the requests sent again, for whatever reason; `replays` the appends that an earlier one
    with the same idempotency key had done.
    """

    appends: int = 0
    messages: int = 0
    bytes: int = 0
    conflicts: int = 0
    retries: int = 0
    replays: int = 0
