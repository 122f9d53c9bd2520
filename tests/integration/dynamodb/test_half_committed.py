"""No read shows a part of a transaction, although a Query is only read-committed.

"Amazon DynamoDB transactions: how it works" (isolation levels): a Query that runs while a transaction is committed may
find some of its rows and not the others. The tests take rows out of the table to make such states. Each read must then
show the log before the transaction or the log after it, and nothing between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

import pytest
from messagelog.dynamodb import keys

from tests.support.faulty import Meanwhile, Ok
from tests.support.hidden_rows import Batches, Rows, batches_of, impatient, log_of, reads_of, shown, write
from tests.support.tables import Table

SEGMENT = 120  # messages that do not fit one transaction


def parts_of(seqs: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of some of these rows, but not of all."""
    return chain.from_iterable(combinations(seqs, size) for size in range(1, len(seqs)))


def newest(batches: Batches) -> range:
    """The seqs of the last batch."""
    count = sum(map(len, batches))
    return range(count - len(batches[-1]) + 1, count + 1)


LAYOUTS = {
    "the first batch": batches_of(3),
    "after single messages": batches_of(1, 1, 3),
    "after a batch": batches_of(1, 3, 3),
    "after a segment": batches_of(1, SEGMENT, 3),
}


@pytest.mark.parametrize("batches", LAYOUTS.values(), ids=LAYOUTS)
def test_an_incomplete_batch_is_shown_whole_or_not_at_all(on_moto: Table, rows: Rows, batches: Batches) -> None:
    write(on_moto, batches)
    before, after, log = log_of(batches[:-1]), log_of(batches), impatient(on_moto)
    seqs = newest(batches)
    reads = reads_of(min(after.count(), 5))
    for missing in parts_of(seqs):
        rows.hide(*missing)
        for name, read in reads.items():
            assert shown(read(log)) in (shown(read(before)), shown(read(after))), f"{name} without {missing}"
        assert shown(log.all()) == shown(before.all()), f"without {missing}"


@pytest.mark.parametrize("batches", LAYOUTS.values(), ids=LAYOUTS)
def test_a_batch_is_shown_once_it_is_complete(on_moto: Table, rows: Rows, batches: Batches) -> None:
    write(on_moto, batches)
    after, log = log_of(batches), impatient(on_moto)
    seqs = newest(batches)
    for missing in ((seqs[0],), (seqs[1],), (seqs[-1],), tuple(seqs[1:])):
        for name, read in reads_of(4).items():
            if name.startswith("all(after=") and after.count() < 6:
                continue
            rows.hide(*missing)
            on_moto.faulty.script("Query", [Ok(), Meanwhile(rows.put_back)])
            found = shown(read(log))
            if rows.hidden:  # one Query was enough for this read
                assert found in (shown(read(log_of(batches[:-1]))), shown(read(after))), f"{name} without {missing}"
            else:
                assert found == shown(read(after)), f"{name} without {missing}"


def test_a_reader_waits_for_a_commit_in_progress(on_moto: Table, rows: Rows) -> None:
    """It reads again at once, then with pauses, and stops as soon as the batch is complete."""
    write(on_moto, batches_of(2, 3))
    rows.hide(4)
    on_moto.faulty.forget()
    on_moto.faulty.script("Query", [Ok(), Ok(), Ok(), Meanwhile(rows.put_back)])
    assert [message.seq for message in on_moto.log().all()] == [1, 2, 3, 4, 5]
    assert on_moto.faulty.operations == ["Query"] * 4
    assert len(on_moto.clock.pauses) == 2


def test_rows_before_the_hole_are_not_read_again(on_moto: Table, rows: Rows) -> None:
    write(on_moto, batches_of(2, 3))
    rows.hide(4)
    on_moto.faulty.forget()
    on_moto.faulty.script("Query", [Ok(), Meanwhile(rows.put_back)])
    assert [message.seq for message in on_moto.log().iter_all()] == [1, 2, 3, 4, 5]
    first = on_moto.faulty.sent("Query")[1].parameters["ExpressionAttributeValues"][":first"]
    assert first == {"S": keys.message_entry(3)}
