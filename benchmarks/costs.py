"""What each operation costs at each length of a conversation, for any store."""

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
    """What a store's operations cost: by operation, then by length. An error's text stands where one failed."""

    store: str
    costs: dict[str, dict[int, Cost | str]] = field(default_factory=dict)

    def put(self, operation: str, length: int, cost: Cost | str) -> None:
        self.costs.setdefault(operation, {})[length] = cost


def measure(store: Store, meter: Meter, lengths: Sequence[int] = LENGTHS) -> Figures:
    """The figures of a store, at each length of a conversation of its own."""
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
    """Appends so many messages of the workload, from the number `start`, so many at a time."""
    for number in range(start, start + length, by):
        conversation.append(workload.messages(min(by, start + length - number), start=number))


def dollars_of_conversations(appends: Mapping[int, Cost | str]) -> float | None:
    """What it costs to append `CONVERSATIONS` of `CONVERSATION_LENGTH` messages, one by one; None where that fails.

    Between the lengths that were measured, the cost of an append is taken to follow a straight line.
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
    """An append is the mean of a cycle's messages, appended in a row with this length in the middle.

    Where it is shorter than a cycle, each is appended to a conversation of its own.
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
    """Each operation that reads, with its name."""
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
    """Why it failed, in a few words: DynamoDB's limit of 400 KB an item, or one that the library keeps below it."""
    text = f"{error} {error.__cause__}"
    if any(words in text for words in ("Item size", "item size", "400 KB", "-byte limit")):
        return "fails: 400 KB"
    return f"fails: {type(error).__name__}"
