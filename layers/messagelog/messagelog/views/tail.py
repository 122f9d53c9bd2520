"""The end of a log, which is read backwards only as far as needed. Seqs have no gap, so each seq has a fixed index."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from messagelog.messages import StoredMessage


class Tail:
    """The newest messages of a log.

    Args:
        newest_first: The log from its end.
    """

    def __init__(self, newest_first: Iterator[StoredMessage]) -> None:
        self._newest_first = newest_first
        self._read: list[StoredMessage] = []  # newest first
        self._counted: dict[int, int] = {}
        newest = next(newest_first, None)
        self.end = 0 if newest is None else newest.seq
        if newest is not None:
            self._read.append(newest)

    def get(self, seq: int) -> StoredMessage | None:
        """Returns the message with this seq, None if the log begins after it."""
        index = self.end - seq
        while len(self._read) <= index:
            message = next(self._newest_first, None)
            if message is None:
                return None
            self._read.append(message)
        return self._read[index]

    def between(self, first: int, last: int) -> list[StoredMessage]:
        """Returns the messages from seq `first` to seq `last`, oldest first."""
        if first <= last:
            self.get(first)
        return self._read[max(0, self.end - last) : self.end - first + 1][::-1]

    def newest_first(self, seq: int) -> Iterator[StoredMessage]:
        """Yields the messages from this seq backwards."""
        while (message := self.get(seq)) is not None:
            yield message
            seq -= 1

    def once(self, message: StoredMessage, count: Callable[[StoredMessage], int]) -> int:
        """Returns `count` of a message, and calls it only once for each message."""
        if message.seq not in self._counted:
            self._counted[message.seq] = count(message)
        return self._counted[message.seq]
