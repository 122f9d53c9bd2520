"""The remembered counts are bounded, drop the least recently used first, and end with their client."""

from __future__ import annotations

import gc
import weakref

from messagelog.dynamodb import known_counts
from messagelog.dynamodb.known_counts import KnownCounts, known_counts_of

A, B, C = (("messages", name) for name in "abc")


class Client:
    """Stands for a boto3 client."""


def test_the_newest_count_is_remembered() -> None:
    counts = KnownCounts()
    assert counts.get(A) is None
    counts.put(A, 3)
    counts.put(A, 4)
    counts.put(B, 1)
    assert (counts.get(A), counts.get(B)) == (4, 1)


def test_a_count_of_zero_is_remembered() -> None:
    counts = KnownCounts()
    counts.put(A, 0)
    assert counts.get(A) == 0


def test_each_table_has_its_own_conversations() -> None:
    counts = KnownCounts()
    counts.put(("one", "a"), 1)
    assert counts.get(("other", "a")) is None


def test_a_count_can_be_forgotten_twice() -> None:
    counts = KnownCounts()
    counts.put(A, 3)
    counts.forget(A)
    counts.forget(A)
    assert counts.get(A) is None


def test_the_least_recently_read_is_dropped_first() -> None:
    counts = KnownCounts(capacity=2)
    counts.put(A, 1)
    counts.put(B, 2)
    counts.get(A)
    counts.put(C, 3)
    assert [counts.get(key) for key in (A, B, C)] == [1, None, 3]


def test_the_least_recently_written_is_dropped_first() -> None:
    counts = KnownCounts(capacity=2)
    counts.put(A, 1)
    counts.put(B, 2)
    counts.put(A, 3)
    counts.put(C, 3)
    assert [counts.get(key) for key in (A, B, C)] == [3, None, 3]


def test_the_counts_are_bounded_by_default() -> None:
    counts = KnownCounts()
    for number in range(known_counts.CAPACITY + 1):
        counts.put(("messages", str(number)), number)
    assert counts.get(("messages", "0")) is None
    assert counts.get(("messages", "1")) == 1


def test_each_client_has_its_own_counts() -> None:
    one, other = Client(), Client()
    assert known_counts_of(one) is known_counts_of(one)
    assert known_counts_of(one) is not known_counts_of(other)


def test_the_counts_do_not_keep_a_client_alive() -> None:
    client = Client()
    known_counts_of(client)
    gone = weakref.ref(client)
    del client
    gc.collect()
    assert gone() is None
