"""Batches and messages that do not fit one transaction, as immutable segment items.

They are written first, and no reader sees them. One small transaction then makes them visible: it advances the counter
and puts a single row that points to them. A crash before that transaction leaves only items that nothing points to.

A segment is a list of blocks. A block holds some messages, one line of JSON text each, compressed. It can be read
without the others. A block is stored in one part, or in several if it is a single huge message. The row that points at
the segment carries the index: for each block, the offset of its first message in the batch, and the number of its first
part. The bytes of files are base64 in these lines: compressed, they take 1 % more than the raw bytes.
"""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from messagelog import codec
from messagelog.messages import AgentMessage

_BLOCK_BYTES = 256 * 1024  # of text; it is small, so that a read of the end of a batch reads little more than that end
_PART_BYTES = 350 * 1024  # below the 400 KB of a DynamoDB item, with room for the keys


@dataclass(frozen=True, slots=True)
class Index:
    """The places of a segment's messages.

    Attributes:
        offsets: For each block, the offset of its first message in the batch; then the number of messages.
        parts: For each block, the number of its first part; then the number of parts.
    """

    offsets: tuple[int, ...]
    parts: tuple[int, ...]

    def to_text(self) -> str:
        """Returns the index as it is stored."""
        return json.dumps([self.offsets, self.parts], separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Index:
        """Returns the index that `to_text` wrote."""
        offsets, parts = json.loads(text)
        return cls(tuple(offsets), tuple(parts))

    def blocks(self, first: int, last: int) -> range:
        """Returns the blocks that hold the messages with the offsets from `first` to `last`."""
        return range(bisect_right(self.offsets, first) - 1, bisect_right(self.offsets, last))


def pack(messages: Sequence[AgentMessage]) -> tuple[Index, list[bytes]]:
    """Returns the index of a new segment, and its parts to store, numbered from 0."""
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
    """Returns the lines of the block that is stored in these parts."""
    return zlib.decompress(b"".join(parts)).decode().split("\n")


def _blocks(messages: Sequence[AgentMessage]) -> Iterator[tuple[int, str]]:
    """Yields for each block the offset of its first message and its text."""
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
