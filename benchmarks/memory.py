"""The memory of a read: the peak of `all()` compared with its result, and the peak of `iter_all()` as the log grows."""

from __future__ import annotations

import gc
import tempfile
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage
from urllib3 import HTTPResponse

from benchmarks import workload

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_BATCH = 90  # messages that are still stored as one row each


@dataclass(frozen=True)
class Memory:
    """Megabytes that Python allocated. `peak_of_tenth` is the peak of `iter_all()` with a tenth of the log."""

    messages: int
    result: float
    peak_of_all: float
    peak_of_iter: float
    peak_of_tenth: float


def measure(client: DynamoDBClient, table: str, *, length: int) -> Memory:
    """Return the figures of a log of `length` messages."""
    log = MessageLog(DynamoDBStorage("memory", table=table, client=client))

    def streamed() -> float:
        return _traced(lambda: deque(log.iter_all(), maxlen=0))[1]

    _append(log, range(length // 10))
    peak_of_tenth = streamed()
    _append(log, range(length // 10, length))
    with _pages_kept(client):
        peak_of_iter = streamed()
        result, peak_of_all = _traced(log.all)
    return Memory(length, result, peak_of_all, peak_of_iter, peak_of_tenth)


def _append(log: MessageLog, numbers: range) -> None:
    for start in numbers[::_BATCH]:
        log.append_many(workload.messages(min(_BATCH, numbers.stop - start), start=start))


def _traced(run: Callable[[], object]) -> tuple[float, float]:
    """Return the megabytes of the result, and of the peak."""
    gc.collect()
    tracemalloc.start()
    try:
        result = run()
        held, peak = tracemalloc.get_traced_memory()
        del result
    finally:
        tracemalloc.stop()
    return held / 1e6, peak / 1e6


@contextmanager
def _pages_kept(client: DynamoDBClient) -> Iterator[None]:
    """Answer a repeated Query with the bytes of its first answer, from a file.

    MiniStack reads the whole conversation for each page, so reading all pages would take minutes.
    """
    with tempfile.TemporaryDirectory() as folder:

        def file_of(body: bytes) -> Path:
            return Path(folder) / sha256(body).hexdigest()

        def remember(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
            context["page"] = file_of(params["body"])

        def keep(http_response: AWSResponse, context: dict[str, Any], **_: Any) -> None:
            context["page"].write_bytes(http_response.content)

        def answer(request: Any, **_: Any) -> AWSResponse | None:
            page = file_of(request.body)
            if not page.exists():
                return None
            kept = HTTPResponse(BytesIO(page.read_bytes()), preload_content=False)
            return AWSResponse(request.url, 200, HTTPHeaders(), kept)

        hooks: dict[str, Any] = {"before-call": remember, "before-send": answer, "after-call": keep}
        for event, hook in hooks.items():
            client.meta.events.register(f"{event}.dynamodb.Query", hook)
        try:
            yield
        finally:
            for event, hook in hooks.items():
                client.meta.events.unregister(f"{event}.dynamodb.Query", hook)
