"""What a log needs of the place that keeps it. Three methods; everything else is derived from them in `log.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from messagelog.messages import AgentMessage, StoredMessage


class Storage(Protocol):
    """Keeps one conversation. Implementations are safe to use from many threads and processes."""

    def append(self, messages: Sequence[AgentMessage]) -> list[StoredMessage]:
        """Stores the messages behind all others and returns them with seq and time: all of them, or none.

        The messages have passed `codec.parse` and there is at least one. Raises an error of `messagelog.errors`
        that says whether anything was written.
        """
        ...

    def read(
        self, *, after: int = 0, limit: int | None = None, newest_first: bool = False, consistent: bool = True
    ) -> Iterator[StoredMessage]:
        """Yields the messages with a seq greater than `after`, oldest first or newest first, at most `limit` (above 0).

        Reads as it is consumed. `consistent=False` may miss the latest writes, at half the cost. The values are the
        reader's own: changing what is inside them changes nothing here.
        """
        ...

    def count(self, *, consistent: bool = True) -> int:
        """The number of messages, which is the seq of the last one; 0 for a conversation nobody has written to."""
        ...
