"""Batches and messages that do not fit one transaction, as immutable segment items.

They are written first, where nobody sees them, and made visible by one small transaction that advances the counter and
puts a single row pointing at them. A crash before that leaves unreachable items and nothing else.

A segment is a list of blocks. A block holds some messages, one JSON text a line, compressed, and can be read without
the others; it is stored in one part, or in several if it is a single huge message. The pointing row carries the index:
for each block the offset of its first message in the batch, and the number of its first part.
"""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from messagelog import codec
from messagelog.messages import AgentMessage

_BLOCK_BYTES = 256 * 1024  # of text: small enough that reading a batch's end does not read much more
_PART_BYTES = 350 * 1024  # below DynamoDB's 400 KB an item with room for the keys


@dataclass(frozen=True, slots=True)
class Index:
    """Where a segment's messages are.

    `offsets[i]` is the offset in the batch of block i's first message, `parts[i]` the number of its first part; both
    end with the totals.
    """

    offsets: tuple[int, ...]
    parts: tuple[int, ...]

    def to_text(self) -> str:
        """The index as it is stored."""
        return json.dumps([self.offsets, self.parts], separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Index:
        """The index that `to_text` wrote."""
        offsets, parts = json.loads(text)
        return cls(tuple(offsets), tuple(parts))

    def blocks(self, first: int, last: int) -> range:
        """The blocks that hold the messages with the offsets from `first` to `last`."""
        return range(bisect_right(self.offsets, first) - 1, bisect_right(self.offsets, last))


def pack(messages: Sequence[AgentMessage]) -> tuple[Index, list[bytes]]:
    """The parts to store, numbered from 0, and the index into them."""
    offsets: list[int] = []
    starts: list[int] = []
    parts: list[bytes] = []
    for offset, text in _blocks(messages):
        offsets.append(offset)
        starts.append(len(parts))
        data = zlib.compress(text.encode())
        parts += [data[at : at + _PART_BYTES] for at in range(0, len(data), _PART_BYTES)]
    return Index((*offsets, len(messages)), (*starts, len(parts))), parts


def unpack(parts: Sequence[bytes]) -> list[str]:
    """The lines of the block that is stored in these parts."""
    return zlib.decompress(b"".join(parts)).decode().split("\n")


def _blocks(messages: Sequence[AgentMessage]) -> Iterator[tuple[int, str]]:
    """The offset of the first message and the text of each block."""
    lines: list[str] = []
    size = start = 0
    for offset, message in enumerate(messages):
        line = codec.to_line(message)
        if lines and size + len(line) > _BLOCK_BYTES:
            yield start, "\n".join(lines)
            lines, size, start = [], 0, offset
        lines.append(line)
        size += len(line)
    yield start, "\n".join(lines)
