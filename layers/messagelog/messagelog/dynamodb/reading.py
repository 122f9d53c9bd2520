"""Messages out of the table: rows that are settled, and the segments that some of them point at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from messagelog import codec
from messagelog.dynamodb import items, keys, rows, segments
from messagelog.dynamodb.rows import Row, UnsettledError
from messagelog.dynamodb.segments import Index
from messagelog.dynamodb.table import ConversationTable
from messagelog.errors import StorageUnavailableError
from messagelog.messages import StoredMessage

_FIRST_PAGE_OF_ROWS = 25  # who reads backwards without a limit looks for something near the end


@dataclass(slots=True)
class _Wanted:
    """What is still to be read: the seqs between `after` and `below` (None: the end), at most `limit` of them."""

    after: int
    below: int | None
    limit: int | None
    newest_first: bool

    @property
    def last_seq(self) -> int:
        """The largest seq that may be wanted."""
        return keys.MAX_SEQ if self.below is None else self.below - 1

    def take(self, row: Row) -> tuple[int, int]:
        """The first and the last seq that is wanted of the row, which comes next."""
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
    for row in _settled_rows(table, wanted, consistent):
        first, last = wanted.take(row)
        if "segment" in row.item:
            yield from _segment_messages(table, row, first, last, wanted, consistent)
        else:
            yield items.from_item(row.item, row.last)


def _settled_rows(table: ConversationTable, wanted: _Wanted, consistent: bool) -> Iterator[Row]:
    """The rows that hold what is wanted. The caller takes each before it asks for the next.

    What is not settled is read again, strongly. The newest batch, if it stays incomplete, is left out: it was not there
    when the reading began. A hole anywhere else is damage, and must not pass for a log.
    """
    attempts = None
    while wanted.after < wanted.last_seq:
        try:
            # A replica may stay behind for longer than anyone waits.
            found = _rows(table, wanted, consistent or attempts is not None)
            for row in _checked(found, wanted):
                yield row
                attempts = None  # what was not settled has become so
            return
        except UnsettledError as unsettled:
            attempts = attempts or table.retry.attempts()
            if next(attempts, None) is not None:
                continue
            if unsettled.batch is None or _goes_on(table, unsettled.batch[1]):
                raise _damage() from None
            wanted.below = unsettled.batch[0]


def _checked(found: Iterator[Row], wanted: _Wanted) -> Iterator[Row]:
    if wanted.newest_first:
        return rows.backward(found, wanted.after, wanted.below, wanted.limit)
    return rows.forward(found, wanted.after, wanted.limit)


def _goes_on(table: ConversationTable, seq: int) -> bool:
    """Whether there are messages behind this one."""
    behind = table.query(keys.message_entry(seq + 1), keys.message_entry(keys.MAX_SEQ), limit=1)
    return next(behind, None) is not None


def _rows(table: ConversationTable, wanted: _Wanted, consistent: bool) -> Iterator[Row]:
    items = table.query(
        keys.message_entry(wanted.after + 1),
        keys.message_entry(wanted.last_seq),
        newest_first=wanted.newest_first,
        limit=wanted.limit,
        page=_FIRST_PAGE_OF_ROWS if wanted.newest_first and wanted.limit is None else None,
        consistent=consistent,
    )
    return map(Row.of, items)


def _segment_messages(
    table: ConversationTable, row: Row, first: int, last: int, wanted: _Wanted, consistent: bool
) -> Iterator[StoredMessage]:
    """The messages from seq `first` to `last` of the segment this row points at."""
    index = Index.from_text(row.item["index"]["S"])
    at = items.from_micros(int(row.item["at"]["N"]))
    blocks = index.blocks(first - row.first, last - row.first)
    step = -1 if wanted.newest_first else 1
    for block, lines in _blocks(table, row.item["segment"]["S"], index, blocks[::step], wanted, consistent):
        seqs = range(row.first + index.offsets[block], row.first + index.offsets[block + 1])
        for seq, line in list(zip(seqs, lines, strict=True))[::step]:
            if first <= seq <= last:
                yield codec.from_line(line, seq=seq, at=at)


def _blocks(
    table: ConversationTable, segment: str, index: Index, blocks: range, wanted: _Wanted, consistent: bool
) -> Iterator[tuple[int, list[str]]]:
    """The blocks with their lines, in the order asked for; read in one go, or one by one where the end is not known."""

    def parts_of(some: range, *, consistent: bool) -> Iterator[dict[str, Any]]:
        first, behind = index.parts[min(some)], index.parts[max(some) + 1]
        return table.query(
            keys.part_entry(segment, first),
            keys.part_entry(segment, behind - 1),
            newest_first=wanted.newest_first,
            page=1 if wanted.newest_first and wanted.limit is None else None,
            consistent=consistent,
        )

    stream = parts_of(blocks, consistent=consistent)
    for block in blocks:
        entries = [keys.part_entry(segment, part) for part in range(index.parts[block], index.parts[block + 1])]
        parts = _by_entry(islice(stream, len(entries)))
        if parts.keys() != set(entries):
            # They were written before the row that led here, and may not have reached this replica yet.
            stream = parts_of(blocks[blocks.index(block) :], consistent=True)
            parts = _by_entry(islice(stream, len(entries)))
            if parts.keys() != set(entries):
                raise _damage()
        yield block, segments.unpack([parts[entry] for entry in entries])


def _damage() -> StorageUnavailableError:
    reason = "messages are missing in the table: was it changed by hand?"
    error = StorageUnavailableError(reason, is_of_the_stack=True)
    error.code = "MessagesMissing"
    return error


def _by_entry(items: Iterable[dict[str, Any]]) -> dict[str, bytes]:
    return {item["entry"]["S"]: item["data"]["B"] for item in items}
