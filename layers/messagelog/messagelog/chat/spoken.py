"""The messages of a chat: those of the log, without system messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from messagelog.checks import check_number
from messagelog.messages import StoredMessage

Read: TypeAlias = Callable[[int, int | None], Iterator[StoredMessage]]
"""Reads at most so many messages (None: all) after a seq, oldest first."""


def spoken(read: Read, after: int, limit: int | None = None) -> Iterator[StoredMessage]:
    """Yields the messages after a seq, without system messages, and reads no more than it needs.

    Args:
        read: Reads messages.
        after: The seq after which to begin.
        limit: The largest number of messages; None for all.

    Raises:
        ValueError: The limit is negative.
    """
    if limit is not None:
        check_number("limit", limit)
    return _spoken(read, after, limit)


def _spoken(read: Read, after: int, limit: int | None) -> Iterator[StoredMessage]:
    """Asks for as many messages as are missing, again after each answer that held system messages."""
    while limit != 0:
        asked, seen = limit, 0
        for message in read(after, asked):
            after, seen = message.seq, seen + 1
            if message.role != "system":
                limit = None if limit is None else limit - 1
                yield message
        if asked is None or seen < asked:
            return
