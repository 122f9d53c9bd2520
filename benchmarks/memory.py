"""How much memory a read takes: the peak of `all()` beside its result, and of `iter_all()` as the log grows."""

from __future__ import annotations

import gc
import tracemalloc
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage

from benchmarks import workload

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_BATCH = 5_000  # MiniStack needs minutes to page through as many rows; batches as large as these are segments


@dataclass(frozen=True)
class Memory:
    """Megabytes that Python allocated. `peak_of_tenth` is of the first tenth of the log."""

    messages: int
    result: float
    peak_of_all: float
    peak_of_iter: float
    peak_of_tenth: float


def measure(client: DynamoDBClient, table: str, *, length: int) -> Memory:
    """The figures of a log of `length` messages."""
    log = MessageLog(DynamoDBStorage("memory", table=table, client=client))
    batch = workload.messages(_BATCH)
    for start in range(0, length, _BATCH):
        log.append_many(batch[: length - start])
    _, tenth = _traced(lambda: deque(log.iter_all(limit=length // 10), maxlen=0))
    _, streamed = _traced(lambda: deque(log.iter_all(), maxlen=0))
    result, peak = _traced(log.all)
    return Memory(length, result, peak, streamed, tenth)


def _traced(run: Callable[[], object]) -> tuple[float, float]:
    """Megabytes that the result holds, and the peak on the way to it."""
    gc.collect()
    tracemalloc.start()
    try:
        result = run()
        held, peak = tracemalloc.get_traced_memory()
        del result
    finally:
        tracemalloc.stop()
    return held / 1e6, peak / 1e6
