"""What a log needs of the place that keeps it. Three methods; everything else is derived from them in `log.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from messagelog.errors import ConflictError
from messagelog.messages import AgentMessage, StoredMessage


class AlsoError(ConflictError):
    """A condition given as `also` did not hold. Nothing was written. `place` is its index in `also`."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place

    def __str__(self) -> str:
        return "what was to be committed with the messages has changed; nothing was written"


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did: the last seq, and what was stored; nothing if an idempotency key had been used before."""

    seq: int
    stored: Sequence[StoredMessage]


class Storage(Protocol):
    """Keeps one conversation. Implementations are safe to use from many threads and processes."""

    def append(
        self,
        messages: Sequence[AgentMessage],
        *,
        expected_count: int | None = None,
        idempotency_key: str | None = None,
        also: Sequence[Any] = (),
    ) -> Appended:
        """Stores the messages behind all others: all of them, or none.

        The messages have passed `codec.parse` and there is at least one. With `expected_count` they are stored only if
        the log holds that many. An `idempotency_key` is stored with them; if it was before, within a day at least,
        nothing is written, and the seq is the one it got then. `also` are at most 50 conditions and changes of another
        place that commit with the messages; what they are, only storages of one kind know.

        Raises ExpectedCountError, IdempotencyMismatchError, AlsoError if one of `also` does not hold, or another error
        of `messagelog.errors` that says whether anything was written.
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
