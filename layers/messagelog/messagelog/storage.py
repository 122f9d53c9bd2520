"""The interface of a storage: append, read and count. `log.py` builds all other operations on these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from messagelog.checks import check_number
from messagelog.errors import ConflictError
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.strictjson import is_unicode

MAX_KEY_LENGTH = 255
MAX_CONDITIONS = 50


class ConditionFailedError(ConflictError):
    """One of an append's conditions did not hold. Nothing was written. `place` is its index in `conditions`."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place

    def __str__(self) -> str:
        return "a condition of this append no longer holds; nothing was written"


@dataclass(frozen=True, slots=True)
class Append:
    """One append: its messages are stored at the end of the log, all or none.

    Args:
        messages: The messages, each checked by `messagelog.admission.admit`.
        expected_count: Store them only if the log holds this many messages.
        idempotency_key: Text of 1 to 255 characters that names this append in its conversation. It is stored with the
            messages. If an append of the last day or more stored it already, nothing is written.
        conditions: At most 50 conditions on other data, and changes of it, that commit with the messages. Their form
            depends on the kind of storage.

    Raises:
        ValueError: A number, the key or the number of conditions is out of range.
    """

    messages: tuple[AgentMessage, ...]
    expected_count: int | None = None
    idempotency_key: str | None = None
    conditions: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.expected_count is not None:
            check_number("expected_count", self.expected_count)
        key = self.idempotency_key
        if key is not None and not (type(key) is str and 0 < len(key) <= MAX_KEY_LENGTH and is_unicode(key)):
            raise ValueError(f"idempotency_key must be a text of 1 to {MAX_KEY_LENGTH} characters")
        if len(self.conditions) > MAX_CONDITIONS:  # an append with more might not fit one transaction
            raise ValueError(f"an append takes at most {MAX_CONDITIONS} conditions")


@dataclass(frozen=True, slots=True)
class Appended:
    """The outcome of an append.

    Attributes:
        seq: The number of its last message.
        stored: The messages as a read returns them.
        replayed: Whether an earlier append with the same idempotency key was found. Then `seq` is the number that the
            earlier append returned, and `stored` is empty.
    """

    seq: int
    stored: tuple[StoredMessage, ...] = ()
    replayed: bool = False


class Storage(Protocol):
    """Keeps one conversation. Implementations are safe to use from many threads and processes."""

    def append(self, append: Append) -> Appended:
        """Stores the messages of an append, of which there is at least one.

        Raises:
            ExpectedCountError: The log holds another number of messages than expected.
            IdempotencyMismatchError: The key was used before, for other content.
            ConditionFailedError: One of the conditions does not hold.
            MessageLogError: Another error, whose class says whether anything was written.
        """
        ...

    def read(
        self, *, after: int = 0, limit: int | None = None, newest_first: bool = False, consistent: bool = True
    ) -> Iterator[StoredMessage]:
        """Yields the messages with a seq greater than `after`.

        The storage is read while the iterator is consumed. The caller may change the values: that does not change
        the storage.

        Args:
            after: The seq after which to begin.
            limit: The largest number of messages to yield, at least 1; None for all.
            newest_first: Begin with the last message and go back.
            consistent: If false, the newest writes may be missing, at half the cost.
        """
        ...

    def count(self, *, consistent: bool = True) -> int:
        """Returns the number of messages, which is the seq of the last one; 0 for an unknown conversation."""
        ...
