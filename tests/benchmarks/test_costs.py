"""The cost of the log for the workload of the benchmarks, in requests and units. Nothing is timed."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import workload
from benchmarks.costs import fill
from benchmarks.meter import Meter
from benchmarks.ours import OurConversation, OurStore
from local.dynamodb import connect


class Measured:
    """A conversation with a meter."""

    def __init__(self, endpoint: str, table: str, length: int) -> None:
        self.meter = Meter(connect(endpoint))
        client = connect(endpoint)
        self.meter.attach(client)
        self.log = OurStore(table, lambda: client).open(workload.CONVERSATION).log
        fill(OurConversation(self.log), length)

    def spent_by(self, run: Callable[[], object], times: int = 1) -> tuple[float, float, float]:
        """Return the requests, read units and write units of one of the `times` calls in `run`."""
        with self.meter.measure() as spent:
            run()
        cost = spent.cost / times
        return cost.requests, cost.read_units, cost.write_units

    def append_cycle(self) -> None:
        """Append each message of a cycle in a call of its own."""
        for message in workload.messages(workload.CYCLE):
            self.log.append(message)


@pytest.fixture
def filled(ministack: str, ministack_table: tuple[Any, str]) -> Callable[[int], Measured]:
    """`filled(length)`: a conversation of this many messages of the workload."""
    return lambda length: Measured(ministack, ministack_table[1], length)


def test_the_workload_has_the_documented_sizes() -> None:
    cycle = workload.messages(workload.CYCLE)
    assert abs(statistics.mean(map(workload.size_of, cycle)) - workload.MEAN_BYTES) < 2
    contents = sorted(len(message["content"].encode()) for message in cycle)
    assert contents[-1] == workload.RESULT_BYTES
    assert contents[-2] < 1000
    assert workload.messages(3, start=2) == workload.messages(5)[2:]


@pytest.mark.parametrize("length", [1, 10, 100, 1000])
def test_an_append_is_one_write_of_the_same_cost_at_any_length(filled: Callable[[int], Measured], length: int) -> None:
    measured = filled(length)
    requests, read_units, write_units = measured.spent_by(measured.append_cycle, times=workload.CYCLE)
    assert (requests, read_units) == (1, 0)
    assert 4 <= write_units <= 4.4
    ten = workload.without_long_result(10)
    assert measured.spent_by(lambda: measured.log.append_many(ten)) == (1, 0, 22)


def test_reads_of_a_thousand_messages(filled: Callable[[int], Measured]) -> None:
    measured = filled(1000)
    requests, read_units, write_units = measured.spent_by(lambda: measured.log.last(20))
    assert (requests, write_units) == (1, 0)
    assert 3 <= read_units <= 4
    assert measured.spent_by(measured.log.count) == (1, 1, 0)
    _, read_units, write_units = measured.spent_by(measured.log.all)
    assert 100 < read_units <= 168
    assert write_units == 0
