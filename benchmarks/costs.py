"""What each operation costs at each length of a conversation, for any store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from benchmarks import workload
from benchmarks.capacity import Cost
from benchmarks.meter import Meter
from benchmarks.stores import Conversation, Store

LENGTHS = (1, 10, 100, 500, 1_000, 10_000)
WINDOW = 20
BATCH = 10
CONVERSATIONS = 1_000
CONVERSATION_LENGTH = 500
_FILLED_ONE_BY_ONE = 1_000  # a longer conversation is filled in batches, to save time


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
        conversation = store.open(f"c-{length:04d}")
        try:
            fill(conversation, length)
        except Exception as error:
            figures.put("append", length, _reason(error))
            continue
        for operation, times, run in _operations(conversation, length):
            figures.put(operation, length, _cost_of(meter, run, times))
    return figures


def fill(conversation: Conversation, length: int) -> None:
    """Appends that many messages of the workload, as an agent would: one by one."""
    step = 1 if length <= _FILLED_ONE_BY_ONE else BATCH
    for start in range(0, length, step):
        conversation.append(workload.messages(min(step, length - start), start=start))


def whole_conversation(store: Store, meter: Meter, length: int = CONVERSATION_LENGTH) -> Cost | str:
    """What it costs to append a conversation message by message."""
    return _cost_of(meter, lambda: fill(store.open("whole"), length), 1)


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
    """Why it failed, in a few words."""
    text = str(error)
    if "size has exceeded" in text.lower() or "400 KB" in text or "ValidationException" in text:
        return "fails: 400 KB"
    return f"fails: {type(error).__name__}"
