"""Messages to append, and short forms of what a log shows."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterable

import pytest
from messagelog import AgentMessage, MessageLog, MessageLogError, StoredMessage

CJK = "".join(map(chr, range(0x4E00, 0x9F00)))
"""Characters of three bytes each in UTF-8."""

EMOJI = "".join(map(chr, range(0x1F300, 0x1F600)))
"""Characters of four bytes each in UTF-8."""


def numbered(first: int, last: int) -> list[AgentMessage]:
    """User messages with the contents m1, m2, m3 … from `first` to `last`."""
    return [AgentMessage("user", f"m{number}") for number in range(first, last + 1)]


def noise(length: int, seed: int = 0, alphabet: str = string.printable) -> str:
    """Text that compression hardly shortens. The same arguments give the same text."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


BATCHES = {
    "one": numbered(1, 1),
    "a batch": numbered(1, 3),
    "too many for a transaction": numbered(1, 130),
    "too large for an item": [AgentMessage("user", CJK * 60)],
}
"""A batch for each way in which DynamoDB stores one: a row, several rows, and two kinds of segments."""


def seqs(messages: Iterable[StoredMessage]) -> list[int]:
    return [message.seq for message in messages]


def contents(log: MessageLog) -> list[str]:
    """The content of every message of a log. It fails if the seqs have a gap."""
    messages = log.all()
    assert seqs(messages) == list(range(1, len(messages) + 1))
    return [message.content for message in messages]


def failed(act: Callable[[], object]) -> MessageLogError:
    """The error that a call raises. It fails if the call raises none."""
    with pytest.raises(MessageLogError) as caught:
        act()
    return caught.value
