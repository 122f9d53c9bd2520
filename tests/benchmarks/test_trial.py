"""A trial finds lost and doubled messages and failures of a store, and its results can be passed as JSON."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import pytest
from messagelog import MessageLog
from messagelog.memory import MemoryStorage

from benchmarks import costs, report, trial, workload
from benchmarks.capacity import Cost
from benchmarks.contention import contend
from benchmarks.costs import dollars_of_conversations
from benchmarks.meter import Meter
from benchmarks.ours import OurConversation
from benchmarks.stores import Message
from benchmarks.trial import Plan, Trial


class Shelf:
    """A store in memory that can overwrite messages, double them, or refuse long conversations."""

    name = "shelf"
    fill_by = 100
    longest = 1_000

    def __init__(self, *, careless: bool = False, doubles: bool = False, full_at: int = 10**9) -> None:
        self.there: dict[str, list[Message]] = {}
        self.careless, self.doubles, self.full_at = careless, doubles, full_at
        self.lock = threading.Lock()

    def open(self, conversation: str) -> ShelfConversation:
        return ShelfConversation(self, conversation)

    def text_of(self, message: Any) -> str:
        return str(message["content"])


class ShelfConversation:
    def __init__(self, shelf: Shelf, conversation: str) -> None:
        self._shelf, self._name = shelf, conversation

    def append(self, messages: Sequence[Message]) -> None:
        if self._shelf.careless:
            before = self.all()
            time.sleep(0.001)
            self._shelf.there[self._name] = [*before, *messages]
            return
        with self._shelf.lock:
            if len(self.all()) + len(messages) > self._shelf.full_at:
                raise ValueError("Item size has exceeded the maximum allowed size")
            self._shelf.there[self._name] = [*self.all(), *messages, *(messages if self._shelf.doubles else ())]

    def all(self) -> list[Message]:
        return self._shelf.there.get(self._name, [])

    def last(self, n: int) -> list[Message]:
        return self.all()[-n:]

    def count(self) -> int:
        return len(self.all())

    def views(self) -> Mapping[str, Callable[[int], object]]:
        return {}


@pytest.fixture
def meter(moto_table: Any) -> Meter:
    return Meter(moto_table)


def test_a_correct_store_loses_nothing(meter: Meter) -> None:
    result = contend(Shelf(), meter, writers=4, each=5)
    assert (result.acknowledged, result.surviving, result.lost, result.duplicates, result.errors) == (20, 20, 0, 0, {})


def test_overwritten_messages_are_lost_and_doubled_ones_counted(meter: Meter) -> None:
    careless = contend(Shelf(careless=True), meter, writers=4, each=5)
    assert careless.acknowledged == 20
    assert careless.lost == 20 - careless.surviving > 0
    assert contend(Shelf(doubles=True), meter, writers=2, each=3).duplicates == 6


def test_a_failed_append_is_an_error_but_not_a_loss(meter: Meter) -> None:
    result = contend(Shelf(full_at=7), meter, writers=2, each=5)
    assert (result.acknowledged, result.surviving, result.errors, result.lost) == (6, 6, {"ValueError": 4}, 0)


def test_a_failure_is_shown_and_earlier_results_stay(meter: Meter) -> None:
    result = trial.run(lambda: Shelf(full_at=150), "shelf", meter, Plan((1, 100, 200, 5_000), (1,), 1))
    assert isinstance(result.costs["append"][100], Cost)
    assert result.costs["append"][200] == "fails: 400 KB"
    assert result.costs["append"][5_000] == "not run"
    assert "fails: 400 KB" in report.markdown([result], [], None)


def test_a_store_that_cannot_be_made_says_why(meter: Meter) -> None:
    def make() -> Shelf:
        raise ImportError("no library")

    result = trial.run(make, "absent", meter, trial.QUICK)
    assert "not run: ImportError: no library" in report.markdown([result], [], None)


def test_a_trial_is_the_same_after_json(meter: Meter) -> None:
    result = trial.run(lambda: Shelf(full_at=150), "shelf", meter, Plan((1, 200), (1, 2), 1))
    assert result.contention
    assert Trial.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_an_append_is_the_mean_of_a_cycle_at_its_length(meter: Meter) -> None:
    """The shelf is free, so here each append costs one unit for each message before it."""

    class Priced(ShelfConversation):
        def append(self, messages: Sequence[Message]) -> None:
            there = len(self.all())
            if meter._spent:
                seen.append((there, messages[0]))
                meter._spent.cost += Cost(write_units=there)
            super().append(messages)

    class Shop(Shelf):
        def open(self, conversation: str) -> ShelfConversation:
            return Priced(self, conversation)

    seen: list[tuple[int, Message]] = []
    short = costs.measure(Shop(), meter, [7]).costs["append"][7]
    assert isinstance(short, Cost)
    assert short.write_units == 7
    assert [message for there, message in seen if there == 7][:20] == workload.messages(20, start=7)
    appends = costs.measure(Shop(), meter, [500]).costs
    assert isinstance(appends["append"][500], Cost)
    assert appends["append"][500].write_units == 500 - 1 / 2


def test_dollars_are_linear_between_the_measured_lengths() -> None:
    million = 10**6
    appends: dict[int, Cost | str] = {
        1: Cost(write_units=1),
        101: Cost(write_units=3),
        500: Cost(write_units=3),
        1_000: "fails: 400 KB",
    }
    units = 1 + 2 * 100 + 3 * 399
    assert dollars_of_conversations(appends) == pytest.approx(1_000 * units * 0.625 / million)
    assert dollars_of_conversations({**appends, 500: "fails: 400 KB"}) is None
    assert dollars_of_conversations({1: Cost(write_units=1)}) is None


def test_the_chart_is_xml_with_a_line_for_each_store() -> None:
    prices = {"append": {1: Cost(write_units=4), 1_000: Cost(write_units=400), 10_000: "fails: 400 KB"}}
    stores = ["a & b", *map(str, range(20))]
    svg = ElementTree.fromstring(report.chart([*(Trial(store, prices) for store in stores), Trial("none")]))
    assert len(svg.findall("{*}polyline")) == len(stores)
    assert {text.text for text in svg.findall("{*}text")} >= set(stores)


def test_a_log_in_memory_is_a_conversation_too() -> None:
    conversation = OurConversation(MessageLog(MemoryStorage()))
    conversation.append([{"role": "user", "content": "a"}])
    conversation.append([{"role": "user", "content": "b"}, {"role": "user", "content": "c"}])
    assert [message.content for message in conversation.last(2)] == ["b", "c"]
    assert (conversation.count(), len(conversation.all())) == (3, 3)
    assert all(read(2) for read in conversation.views().values())
