"""Numbers that say what a storage did. A caller may pass one to a storage and report the sums."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Sums over the storages that were given this object, for one thread.

    Attributes:
        appends: Appends that were written.
        messages: Messages that were written.
        bytes: Size of the rows and segments that were written, as DynamoDB counts it.
        conflicts: Transactions that lost to another writer.
        retries: Requests that were sent again, for any reason.
        replays: Appends that an earlier append with the same idempotency key had done.
    """

    appends: int = 0
    messages: int = 0
    bytes: int = 0
    conflicts: int = 0
    retries: int = 0
    replays: int = 0
