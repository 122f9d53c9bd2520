"""Checks that rows are complete, so that a read never shows a hole or a part of a batch.

A Query is only read-committed against a transaction ("Amazon DynamoDB transactions: how it works", isolation levels),
so it may see only some rows of a transaction. Two facts reveal that: seqs have no gap, and each row of a batch says
where the batch begins and ends. `forward` and `backward` yield complete rows, and raise UnsettledError at a hole or at
an incomplete batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from messagelog.dynamodb import keys


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table.

    Attributes:
        first: The seq of its first message.
        last: The seq of its last message: the same as `first`, except for a segment.
        batch: The first and the last seq of the batch that it belongs to.
        item: The item in the table.
    """

    first: int
    last: int
    batch: tuple[int, int]
    item: Mapping[str, Any]

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Row:
        """Reads an item as a row."""
        last = keys.seq_of(item["entry"]["S"])
        if "batch" not in item:
            return cls(last, last, (last, last), item)
        first_in_batch, _, last_in_batch = item["batch"]["S"].partition("-")
        batch = (int(first_in_batch), int(last_in_batch))
        return cls(batch[0] if "segment" in item else last, last, batch, item)


class UnsettledError(Exception):
    """The rows are not complete. `batch` is the incomplete batch if it may be the newest one, otherwise None."""

    def __init__(self, batch: tuple[int, int] | None) -> None:
        super().__init__(batch)
        self.batch = batch


def forward(rows: Iterable[Row], after: int, limit: int | None) -> Iterator[Row]:
    """Yields the rows after the seq `after`, oldest first, up to the row that reaches `limit` messages."""
    held: list[Row] = []
    end = None if limit is None else after + limit
    for row in rows:
        if row.first > after + 1:
            raise UnsettledError(row.batch if row.batch[0] <= after + 1 else None)
        held.append(row)
        after = row.last
        cut = end is not None and after >= end
        if cut or after == row.batch[1]:
            yield from held
            held.clear()
        if cut:
            return
    if held:
        raise UnsettledError(held[0].batch)


def backward(rows: Iterable[Row], after: int, below: int | None, limit: int | None) -> Iterator[Row]:
    """Yields the rows from the seq before `below` back to the seq after `after`. None for `below` is the log's end."""
    held: list[Row] = []
    newest: tuple[int, int] | None = None  # known only if the reading begins at the end
    floor = after if limit is None or below is None else max(after, below - 1 - limit)
    for row in rows:
        if below is None:
            newest, below = row.batch, row.batch[1] + 1
            floor = after if limit is None else max(after, newest[1] - limit)
        if row.last != below - 1:
            break
        held.append(row)
        below = row.first
        if below <= max(floor + 1, row.batch[0]):
            yield from held
            held.clear()
        if below <= floor + 1:
            return
    if below is not None:
        raise UnsettledError(newest if newest and newest[0] < below else None)
