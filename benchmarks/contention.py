"""Writers that append to one conversation at the same time: the acknowledged messages, and those that are stored."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from benchmarks.meter import Meter
from benchmarks.stores import Store

WRITERS = (1, 2, 4, 8, 16, 32)
APPENDS = 64  # of all writers together; each number of writers divides it
RACE_WRITERS = 8
RACE_APPENDS = 25  # of each writer


@dataclass(frozen=True)
class Contention:
    """The result of one contention."""

    writers: int
    acknowledged: int
    surviving: int
    duplicates: int
    errors: dict[str, int]  # the number of errors of each class
    requests: int
    seconds: float

    @property
    def lost(self) -> int:
        """The number of messages that were acknowledged but are not stored."""
        return max(0, self.acknowledged - self.surviving)


def contend(store: Store, meter: Meter, *, writers: int, each: int) -> Contention:
    """Let this many threads append to a new conversation, each as if it were a process of its own."""
    name = f"contended-{writers}-{each}"
    store.open(name).append([_message("first")])
    conversations = [store.open(name) for _ in range(writers)]
    start = threading.Barrier(writers + 1)

    def write(writer: int) -> tuple[list[str], list[str]]:
        acknowledged, errors = [], []
        start.wait()
        for number in range(each):
            text = f"writer {writer} message {number}"
            try:
                conversations[writer].append([_message(text)])
            except Exception as error:
                errors.append(type(error).__name__)
            else:
                acknowledged.append(text)
        return acknowledged, errors

    with ThreadPoolExecutor(writers) as pool:
        running = [pool.submit(write, writer) for writer in range(writers)]
        start.wait()
        begun, sent = time.perf_counter(), meter.requests
        ended = [writer.result() for writer in running]
        seconds, requests = time.perf_counter() - begun, meter.requests - sent
    acknowledged = {text for texts, _ in ended for text in texts}
    there = Counter(map(store.text_of, store.open(name).all()))
    return Contention(
        writers=writers,
        acknowledged=len(acknowledged),
        surviving=sum(text in there for text in acknowledged),
        duplicates=sum(there[text] - 1 for text in acknowledged if there[text] > 1),
        errors=dict(Counter(error for _, errors in ended for error in errors)),
        requests=requests,
        seconds=seconds,
    )


def _message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}
