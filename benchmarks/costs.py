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
    """The figures of a store. At each length a conversation of its own is read, and then appended to."""
    figures = Figures(store.name)
    for length in lengths:
        if length > store.longest:
            figures.put("append", length, "not run")
            continue
        conversation = store.open(f"c-{length:04d}")
        try:
            fill(conversation, length, by=store.fill_by if length <= 1000 else max(store.fill_by, BATCH))
        except Exception as error:
            figures.put("append", length, _reason(error))
            continue
        for operation, times, run in _operations(conversation, length):
            figures.put(operation, length, _cost_of(meter, run, times))
    return figures


def fill(conversation: Conversation, length: int, *, by: int = 1) -> None:
    """Appends the first messages of the workload, so many at a time."""
    for start in range(0, length, by):
        conversation.append(workload.messages(min(by, length - start), start=start))


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


def _operations(conversation: Conversation, length: int) -> Iterator[tuple[str, int, Callable[[], object]]]:
    """Each operation: its name, how many there are in what is run, and what is run. Reads come first."""
    yield "count", 1, conversation.count
    yield f"last {WINDOW}", 1, lambda: conversation.last(WINDOW)
    yield "all", 1, conversation.all
    for view, read in conversation.views().items():
        yield f"{WINDOW} as {view}", 1, partial(read, WINDOW)
    yield "append", workload.CYCLE, lambda: _append_cycle(conversation, length)
    yield f"append of {BATCH}", 1, lambda: conversation.append(workload.without_long_result(BATCH))


def _append_cycle(conversation: Conversation, length: int) -> None:
    for message in workload.messages(workload.CYCLE, start=length):
        conversation.append([message])


def _cost_of(meter: Meter, run: Callable[[], object], times: int) -> Cost | str:
    try:
        with meter.measure() as spent:
            run()
    except Exception as error:
        return _reason(error)
    return spent.cost / times


def _reason(error: Exception) -> str:
    """Why it failed, in a few words: DynamoDB's limit of 400 KB an item, or one that the library keeps below it."""
    text = f"{error} {error.__cause__}"
    if any(words in text for words in ("Item size", "item size", "400 KB", "-byte limit")):
        return "fails: 400 KB"
    return f"fails: {type(error).__name__}"
