"""The memory of counts is bounded, forgets the least recently used, and goes with its client."""

from __future__ import annotations

import gc
import weakref

from messagelog.dynamodb import known_counts
from messagelog.dynamodb.known_counts import KnownCounts, known_counts_of

A, B, C = (("messages", name) for name in "abc")


class Client:
    """Stands for a boto3 client."""


def test_it_knows_what_was_put_last() -> None:
    marks = KnownCounts()
    assert marks.get(A) is None
    marks.put(A, 3)
    marks.put(A, 4)
    marks.put(B, 1)
    assert (marks.get(A), marks.get(B)) == (4, 1)


def test_a_count_of_none_is_remembered_as_well() -> None:
    marks = KnownCounts()
    marks.put(A, 0)
    assert marks.get(A) == 0


def test_the_same_conversation_in_another_table_is_another() -> None:
    marks = KnownCounts()
    marks.put(("one", "a"), 1)
    assert marks.get(("other", "a")) is None


def test_what_is_forgotten_is_gone_and_forgetting_twice_is_fine() -> None:
    marks = KnownCounts()
    marks.put(A, 3)
    marks.forget(A)
    marks.forget(A)
    assert marks.get(A) is None


def test_the_least_recently_read_goes_first() -> None:
    marks = KnownCounts(capacity=2)
    marks.put(A, 1)
    marks.put(B, 2)
    marks.get(A)
    marks.put(C, 3)
    assert [marks.get(key) for key in (A, B, C)] == [1, None, 3]


def test_the_least_recently_written_goes_first() -> None:
    marks = KnownCounts(capacity=2)
    marks.put(A, 1)
    marks.put(B, 2)
    marks.put(A, 3)
    marks.put(C, 3)
    assert [marks.get(key) for key in (A, B, C)] == [3, None, 3]


def test_it_is_bounded_by_default() -> None:
    marks = KnownCounts()
    for number in range(known_counts.CAPACITY + 1):
        marks.put(("messages", str(number)), number)
    assert marks.get(("messages", "0")) is None
    assert marks.get(("messages", "1")) == 1


def test_each_client_has_its_own_and_keeps_it() -> None:
    one, other = Client(), Client()
    assert known_counts_of(one) is known_counts_of(one)
    assert known_counts_of(one) is not known_counts_of(other)


def test_it_does_not_keep_a_client_alive() -> None:
    client = Client()
    known_counts_of(client)
    gone = weakref.ref(client)
    del client
    gc.collect()
    assert gone() is None
