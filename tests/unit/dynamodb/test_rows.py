"""Reads check their own rows: which rows pass, and which error a hole raises.

The rows come from random transactions, and some are missing. The expected result is calculated from the transactions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog.dynamodb import keys
from messagelog.dynamodb.rows import Row, UnsettledError, backward, forward


@dataclass(frozen=True)
class Transactions:
    """A log, described by its transactions.

    Attributes:
        sizes: The number of messages of each transaction.
        segments: The transactions, by number, that are one row with a segment. The others have one row a message.
    """

    sizes: tuple[int, ...]
    segments: frozenset[int]

    @property
    def count(self) -> int:
        return sum(self.sizes)

    def rows(self) -> list[Row]:
        """All rows, oldest first."""
        rows: list[Row] = []
        for number, size in enumerate(self.sizes):
            first = sum(self.sizes[:number]) + 1
            batch = (first, first + size - 1)
            if number in self.segments:
                rows.append(Row(first, batch[1], batch, {}))
            else:
                rows += [Row(seq, seq, batch, {}) for seq in range(first, batch[1] + 1)]
        return rows


logs = st.builds(
    Transactions,
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=6).map(tuple),
    segments=st.frozensets(st.integers(0, 5)),
)


def seqs_of(rows: Iterable[Row]) -> list[int]:
    return [seq for row in rows for seq in range(row.first, row.last + 1)]


def queried(rows: Iterable[Row], after: int) -> list[Row]:
    """The rows that the Query asks for."""
    return [row for row in rows if row.last > after]


def taken(rows: Iterator[Row]) -> tuple[list[Row], UnsettledError | None]:
    """The rows that pass, and the error that is raised after them."""
    passed: list[Row] = []
    try:
        passed.extend(rows)
    except UnsettledError as error:
        return passed, error
    return passed, None


@pytest.mark.parametrize(
    ("item", "row"),
    [
        ({}, (7, 7, (7, 7))),
        ({"batch": {"S": "5-9"}}, (7, 7, (5, 9))),
        ({"batch": {"S": "3-7"}, "segment": {"S": "abc"}}, (3, 7, (3, 7))),
    ],
)
def test_a_row_knows_its_seqs_and_its_batch(item: dict[str, Any], row: tuple[Any, ...]) -> None:
    item["entry"] = {"S": keys.message_entry(7)}
    assert Row.of(item) == Row(*row, item)


@given(log=logs, after=st.integers(0, 30), limit=st.none() | st.integers(1, 30))
def test_whole_transactions_pass_forward(log: Transactions, after: int, limit: int | None) -> None:
    passed, error = taken(forward(queried(log.rows(), after), after, limit))
    assert error is None
    expected = [seq for seq in range(1, log.count + 1) if seq > after][:limit]
    assert [seq for seq in seqs_of(passed) if seq > after][: len(expected)] == expected
    assert passed == queried(log.rows(), after)[: len(passed)]
    assert limit is None or sum(row.last - max(row.first - 1, after) for row in passed[:-1]) < limit, "and no more"


@given(log=logs, after=st.integers(0, 30), limit=st.none() | st.integers(1, 30))
def test_whole_transactions_pass_backward(log: Transactions, after: int, limit: int | None) -> None:
    passed, error = taken(backward(queried(log.rows(), after)[::-1], after, None, limit))
    assert error is None
    expected = [seq for seq in range(log.count, 0, -1) if seq > after][:limit]
    shown = [seq for seq in seqs_of(passed[::-1])[::-1] if seq > after]
    assert shown[: len(expected)] == expected
    assert limit is None or sum(row.last - max(row.first - 1, after) for row in passed[:-1]) < limit, "and no more"


@given(log=logs, data=st.data())
def test_nothing_after_a_hole_passes_forward(log: Transactions, data: st.DataObject) -> None:
    rows = log.rows()
    lost = data.draw(st.sampled_from(rows))
    passed, error = taken(forward([row for row in rows if row != lost], 0, None))
    assert seqs_of(passed) == list(range(1, lost.batch[0])), "all rows before the transaction, and none of it"
    if lost.batch[1] < log.count:
        assert error is not None
        assert error.batch in (None, lost.batch), "the reader itself finds out whether rows follow"
    elif (lost.first, lost.last) == lost.batch:
        assert error is None, "the transaction left no trace"
    else:
        assert error is not None
        assert error.batch == lost.batch


@given(log=logs, data=st.data())
def test_nothing_before_a_hole_passes_backward(log: Transactions, data: st.DataObject) -> None:
    rows = log.rows()
    lost = data.draw(st.sampled_from(rows))
    is_whole_transaction = (lost.first, lost.last) == lost.batch
    passed, error = taken(backward([row for row in rows if row != lost][::-1], 0, None, None))
    if lost.batch[1] == log.count and is_whole_transaction:
        assert error is None, "the transaction left no trace"
        assert seqs_of(passed[::-1]) == list(range(1, lost.first))
    else:
        assert seqs_of(passed[::-1]) == list(range(lost.batch[1] + 1, log.count + 1))
        assert error is not None
        assert error.batch == (lost.batch if lost.batch[1] == log.count else None)


@pytest.mark.parametrize("reading", [forward, backward])
def test_an_empty_log_is_whole(reading: Callable[..., Iterator[Row]]) -> None:
    arguments = (0, None) if reading is forward else (0, None, None)
    assert taken(reading([], *arguments)) == ([], None)


@pytest.mark.parametrize(
    ("below", "limit", "passing"),
    [(3, None, [2, 1]), (3, 1, [2]), (3, 2, [2, 1])],
)
def test_backward_continues_below_the_rows_left_out(below: int, limit: int | None, passing: list[int]) -> None:
    rows = [Row(seq, seq, (seq, seq), {}) for seq in (2, 1)]
    passed, error = taken(backward(rows, 0, below, limit))
    assert [row.last for row in passed] == passing
    assert error is None


def test_backward_reports_missing_rows_below() -> None:
    """The read found nothing, although it knows that there are messages. That is a hole, not a commit in progress."""
    _, error = taken(backward([], 0, 3, None))
    assert error is not None
    assert error.batch is None


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_batch_is_held_back_until_it_is_whole(missing: int) -> None:
    """The rows come one by one, and none of a batch passes before all of them are there."""
    rows = [Row(seq, seq, (1, 3), {}) for seq in (1, 2, 3) if seq != missing]
    for passed, error in (taken(forward(rows, 0, None)), taken(backward(rows[::-1], 0, None, None))):
        assert passed == []
        assert error is not None
        assert error.batch == (1, 3)
