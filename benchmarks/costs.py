"""The cost of each operation at each length of a conversation, for any store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from benchmarks import workload
from benchmarks.capacity import Cost
from benchmarks.meter import Meter
from benchmarks.stores import Conversation, Store

LENGTHS = (1, 10, 100, 500, 1_000, 10_000)
WINDOW = 20
BATCH = 10
CONVERSATIONS = 1_000
CONVERSATION_LENGTH = 500


@dataclass
class Figures:
    """The costs of a store by operation, then by length. A failed operation has the text of its error instead."""

    store: str
    costs: dict[str, dict[int, Cost | str]] = field(default_factory=dict)

    def put(self, operation: str, length: int, cost: Cost | str) -> None:
        self.costs.setdefault(operation, {})[length] = cost


def measure(store: Store, meter: Meter, lengths: Sequence[int] = LENGTHS) -> Figures:
    """Return the figures of a store, with a conversation of its own for each length."""
    figures = Figures(store.name)
    for length in lengths:
        if length > store.longest:
            figures.put("append", length, "not run")
            continue
        try:
            _measure_at(length, store, meter, figures)
        except Exception as error:
            figures.put("append", length, _reason(error))
    return figures


def fill(conversation: Conversation, length: int, *, start: int = 0, by: int = 1) -> None:
    """Append `length` messages of the workload, from number `start`, `by` messages at a time."""
    for number in range(start, start + length, by):
        conversation.append(workload.messages(min(by, start + length - number), start=number))


def dollars_of_conversations(appends: Mapping[int, Cost | str]) -> float | None:
    """Return the price of `CONVERSATIONS` of `CONVERSATION_LENGTH` messages, appended one by one.

    Between the measured lengths, the cost of an append is interpolated linearly. Return None if an append fails.
    """
    known = {length: cost for length, cost in appends.items() if length <= CONVERSATION_LENGTH}
    if CONVERSATION_LENGTH not in known or any(isinstance(cost, str) for cost in known.values()):
        return None
    points = [(length, cost.dollars) for length, cost in sorted(known.items()) if isinstance(cost, Cost)]
    total = points[0][1] * points[0][0]
    for (start, before), (end, after) in pairwise(points):
        total += (before + after) / 2 * (end - start)
    return CONVERSATIONS * total


def _measure_at(length: int, store: Store, meter: Meter, figures: Figures) -> None:
    """Measure all operations at one length.

    The cost of an append is the mean over a cycle of messages, which are appended with this length in the middle. If
    the length is shorter than a cycle, each message is appended to a conversation of its own.
    """
    conversation = store.open(f"c-{length:04d}")
    before = workload.CYCLE // 2 if length > workload.CYCLE else 0
    fill(conversation, length - before, by=store.fill_by if length <= 1000 else max(store.fill_by, BATCH))
    with meter.measure() as spent:
        fill(conversation, before, start=length - before)
    append = spent.cost
    for operation, run in _reads(conversation):
        figures.put(operation, length, _cost_of(meter, run))
    for number in range(before, workload.CYCLE):
        if not before:
            conversation = store.open(f"c-{length:04d}-{number}")
            fill(conversation, length, start=number)
        with meter.measure() as spent:
            fill(conversation, 1, start=length + number - before)
        append += spent.cost
    figures.put("append", length, append / workload.CYCLE)
    batch = workload.without_long_result(BATCH)
    figures.put(f"append of {BATCH}", length, _cost_of(meter, partial(conversation.append, batch)))


def _reads(conversation: Conversation) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each operation that reads, with its name."""
    yield "count", conversation.count
    yield f"last {WINDOW}", lambda: conversation.last(WINDOW)
    yield "all", conversation.all
    for view, read in conversation.views().items():
        yield f"{WINDOW} as {view}", partial(read, WINDOW)


def _cost_of(meter: Meter, run: Callable[[], object]) -> Cost | str:
    try:
        with meter.measure() as spent:
            run()
    except Exception as error:
        return _reason(error)
    return spent.cost


def _reason(error: Exception) -> str:
    """Return the reason in a few words: the limit of DynamoDB or the library for an item, or another error."""
    text = f"{error} {error.__cause__}"
    if any(words in text for words in ("Item size", "item size", "400 KB", "-byte limit")):
        return "fails: 400 KB"
    return f"fails: {type(error).__name__}"
