"""The newest part of a log that a provider takes as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from messagelog.messages import StoredMessage

REACH = 200
"""In a window, a result more than this many messages behind its call does not belong to it."""


def window(
    newest_first: Iterator[StoredMessage],
    *,
    last: int | None = None,
    max_tokens: int | None = None,
    count_tokens: Callable[[str], int] | None = None,
) -> list[StoredMessage]:
    """The longest run of newest messages within the limits that starts at a user or system message."""
    newest = list(islice(newest_first, last))[::-1]
    return next((newest[i:] for i, m in enumerate(newest) if m.role in ("user", "system")), [])
