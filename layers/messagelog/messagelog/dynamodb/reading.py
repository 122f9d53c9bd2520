"""Reads messages from the table: complete rows, and the segments to which some rows point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from messagelog import codec
from messagelog.dynamodb import items, keys, rows, segments
from messagelog.dynamodb.damage import damaged, intact, missing
from messagelog.dynamodb.rows import Row, UnsettledError
from messagelog.dynamodb.segments import Index
from messagelog.dynamodb.table import ConversationTable
from messagelog.messages import StoredMessage

_FIRST_PAGE_OF_ROWS = 25  # a read from the end without a limit looks for something near the end


@dataclass(slots=True)
class _Wanted:
    """The part that must still be read: at most `limit` seqs between `after` and `below` (None: the end of the log)."""

    after: int
    below: int | None
    limit: int | None
    newest_first: bool

    @property
    def last_seq(self) -> int:
        """The largest seq that may be wanted."""
        return keys.MAX_SEQ if self.below is None else self.below - 1

    def take(self, row: Row) -> tuple[int, int]:
        """Returns the first and the last wanted seq of the next row."""
        first, last = max(row.first, self.after + 1), row.last
        if self.limit is not None:
            if self.newest_first:
                first = max(first, last - self.limit + 1)
            else:
                last = min(last, first + self.limit - 1)
            self.limit -= last - first + 1
        if self.newest_first:
            self.below = first
        else:
            self.after = last
        return first, last


def read(
    table: ConversationTable, *, after: int, limit: int | None, newest_first: bool, consistent: bool
) -> Iterator[StoredMessage]:
    """See `Storage.read`."""
    wanted = _Wanted(after, None, limit, newest_first)
    for row in _complete_rows(table, wanted, consistent):
        first, last = wanted.take(row)
        if "segment" in row.item:
            yield from _segment_messages(table, row, first, last, wanted, consistent)
        else:
            yield intact(items.from_item, row.item, row.last)


def _complete_rows(table: ConversationTable, wanted: _Wanted, consistent: bool) -> Iterator[Row]:
    """Yields the rows that hold wanted messages. The caller handles each row before it asks for the next one.

    Incomplete rows are read again, strongly. If the newest batch stays incomplete, it is left out, because it did not
    exist when the read began. A hole at any other place means damage.
    """
    attempts = None
    while wanted.after < wanted.last_seq:
        try:
            # A replica may be late for a long time, so the second read is strong.
            found = _rows(table, wanted, consistent or attempts is not None)
            for row in _checked(found, wanted):
                yield row
                attempts = None  # the rows are complete by now
            return
        except UnsettledError as unsettled:
            attempts = attempts or table.retry.attempts()
            if next(attempts, None) is not None:
                continue
            if unsettled.batch is None or _goes_on(table, unsettled.batch[1]):
                raise missing() from None
            wanted.below = unsettled.batch[0]


def _checked(found: Iterator[Row], wanted: _Wanted) -> Iterator[Row]:
    if wanted.newest_first:
        return rows.backward(found, wanted.after, wanted.below, wanted.limit)
    return rows.forward(found, wanted.after, wanted.limit)


def _goes_on(table: ConversationTable, seq: int) -> bool:
    """Whether there are messages after this one."""
    later = table.query(keys.message_entry(seq + 1), keys.message_entry(keys.MAX_SEQ), limit=1)
    return next(later, None) is not None


def _rows(table: ConversationTable, wanted: _Wanted, consistent: bool) -> Iterator[Row]:
    found = table.query(
        keys.message_entry(wanted.after + 1),
        keys.message_entry(wanted.last_seq),
        newest_first=wanted.newest_first,
        limit=wanted.limit,
        page=_FIRST_PAGE_OF_ROWS if wanted.newest_first and wanted.limit is None else None,
        consistent=consistent,
    )
    return (intact(Row.of, item) for item in found)


def _segment_messages(
    table: ConversationTable, row: Row, first: int, last: int, wanted: _Wanted, consistent: bool
) -> Iterator[StoredMessage]:
    """The messages from seq `first` to `last` of the segment that this row points at."""
    index, at = intact(_index_of, row)
    blocks = index.blocks(first - row.first, last - row.first)
    step = -1 if wanted.newest_first else 1
    for block, lines in _blocks(table, row.item["segment"]["S"], index, blocks[::step], wanted, consistent):
        seqs = range(row.first + index.offsets[block], row.first + index.offsets[block + 1])
        if len(lines) != len(seqs):
            raise damaged()
        for seq, line in list(zip(seqs, lines, strict=True))[::step]:
            if first <= seq <= last:
                yield intact(codec.from_line, line, seq=seq, at=at)


def _index_of(row: Row) -> tuple[Index, Any]:
    """Returns the index and the time in a segment's row. Raises ValueError if the index does not match the row."""
    index, at = Index.from_text(row.item["index"]["S"]), items.from_micros(int(row.item["at"]["N"]))
    if len(index.parts) != len(index.offsets) or index.offsets[-1] != row.last - row.first + 1:
        raise ValueError
    return index, at


def _blocks(
    table: ConversationTable, segment: str, index: Index, blocks: range, wanted: _Wanted, consistent: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yields the blocks with their lines, in the given order. A read back without a limit gets one at a time."""

    def parts_of(some: range, *, consistent: bool) -> Iterator[dict[str, Any]]:
        first, end = index.parts[min(some)], index.parts[max(some) + 1]
        return table.query(
            keys.part_entry(segment, first),
            keys.part_entry(segment, end - 1),
            newest_first=wanted.newest_first,
            page=1 if wanted.newest_first and wanted.limit is None else None,
            consistent=consistent,
        )

    stream = parts_of(blocks, consistent=consistent)
    for block in blocks:
        entries = [keys.part_entry(segment, part) for part in range(index.parts[block], index.parts[block + 1])]
        parts = _by_entry(islice(stream, len(entries)))
        if parts.keys() != set(entries):
            # They were written before the row that points to them, but may not have reached this replica yet.
            stream = parts_of(blocks[blocks.index(block) :], consistent=True)
            parts = _by_entry(islice(stream, len(entries)))
            if parts.keys() != set(entries):
                raise missing()
        yield block, intact(segments.unpack, [parts[entry] for entry in entries])


def _by_entry(parts: Iterable[dict[str, Any]]) -> dict[str, bytes]:
    return {part["entry"]["S"]: intact(_data_of, part) for part in parts}


def _data_of(part: dict[str, Any]) -> bytes:
    data = part["data"]["B"]
    if not isinstance(data, bytes):
        raise TypeError
    return data
