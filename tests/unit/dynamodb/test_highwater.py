"""The memory of counts is bounded, forgets the least recently used, and goes with its client."""

from __future__ import annotations

import gc
import weakref

from messagelog.dynamodb import highwater
from messagelog.dynamodb.highwater import HighWaterMarks, marks_of

A, B, C = (("messages", name) for name in "abc")


class Client:
    """Stands for a boto3 client."""


def test_it_knows_what_was_put_last() -> None:
    marks = HighWaterMarks()
    assert marks.get(A) is None
    marks.put(A, 3)
    marks.put(A, 4)
    marks.put(B, 1)
    assert (marks.get(A), marks.get(B)) == (4, 1)


def test_a_count_of_none_is_remembered_as_well() -> None:
    marks = HighWaterMarks()
    marks.put(A, 0)
    assert marks.get(A) == 0


def test_the_same_conversation_in_another_table_is_another() -> None:
    marks = HighWaterMarks()
    marks.put(("one", "a"), 1)
    assert marks.get(("other", "a")) is None


def test_what_is_forgotten_is_gone_and_forgetting_twice_is_fine() -> None:
    marks = HighWaterMarks()
    marks.put(A, 3)
    marks.forget(A)
    marks.forget(A)
    assert marks.get(A) is None


def test_the_least_recently_read_goes_first() -> None:
    marks = HighWaterMarks(capacity=2)
    marks.put(A, 1)
    marks.put(B, 2)
    marks.get(A)
    marks.put(C, 3)
    assert [marks.get(key) for key in (A, B, C)] == [1, None, 3]


def test_the_least_recently_written_goes_first() -> None:
    marks = HighWaterMarks(capacity=2)
    marks.put(A, 1)
    marks.put(B, 2)
    marks.put(A, 3)
    marks.put(C, 3)
    assert [marks.get(key) for key in (A, B, C)] == [3, None, 3]


def test_it_is_bounded_by_default() -> None:
    marks = HighWaterMarks()
    for number in range(highwater.CAPACITY + 1):
        marks.put(("messages", str(number)), number)
    assert marks.get(("messages", "0")) is None
    assert marks.get(("messages", "1")) == 1


def test_each_client_has_its_own_and_keeps_it() -> None:
    one, other = Client(), Client()
    assert marks_of(one) is marks_of(one)
    assert marks_of(one) is not marks_of(other)


def test_it_does_not_keep_a_client_alive() -> None:
    client = Client()
    marks_of(client)
    gone = weakref.ref(client)
    del client
    gc.collect()
    assert gone() is None
