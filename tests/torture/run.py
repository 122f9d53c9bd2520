"""A run: processes on one MiniStack that fail and are killed, and the check of what they did."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path

from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage

from local.dynamodb import CREDENTIALS, connect, embedded_dynamodb
from local.template import read_template
from tests.torture.checker import Violation, violations_in
from tests.torture.history import History, Journal, history_in, now
from tests.torture.workers import Place, content_of, finish, read, write

_SECONDS_TO_END = 60  # for a process to come to the end of what it is doing


@dataclass(frozen=True)
class Plan:
    """How a run goes. `kill_every` is the mean number of seconds from one kill to the next."""

    seconds: float = 120.0
    writers: int = 6
    readers: int = 2
    conversations: int = 2
    share_of_faults: float = 0.15
    kill_every: float = 3.0


@dataclass(frozen=True)
class Report:
    """What came of a run."""

    plan: Plan
    history: History
    kills: int
    counts: tuple[int, ...]
    violations: list[Violation]

    def __str__(self) -> str:
        ends = Counter(end.outcome for end in self.history.ends.values())
        faults = Counter(fault.kind for fault in self.history.faults)
        keyed = sum(begin.key is not None for begin in self.history.begins)
        cut_off = len(self.history.begins) - len(self.history.ends)
        lines = [
            f"{self.plan.seconds:.0f} s, {self.plan.writers} writers at a time, {self.plan.readers} readers, "
            f"{self.kills} killed with SIGKILL",
            f"appends: {len(self.history.begins)} begun ({keyed} with a key), {ends['acknowledged']} acknowledged, "
            f"{ends['unknown']} of unknown outcome, {ends['refused']} refused, {cut_off} cut off by a kill",
            f"faults: {sum(faults.values())}: " + ", ".join(f"{kind} {faults[kind]}" for kind in sorted(faults)),
            f"reads: {len(self.history.reads)}; messages at the end: {', '.join(map(str, self.counts))}",
            f"violations: {len(self.violations)}",
        ]
        return "\n".join([*lines, *(f"  {violation}" for violation in self.violations[:20])])


def run(plan: Plan) -> Report:
    """Runs and checks."""
    os.environ.update(CREDENTIALS)
    with embedded_dynamodb() as endpoint, tempfile.TemporaryDirectory(prefix="torture-") as folder:
        table = read_template().tables["MessageTable"]
        connect(endpoint).create_table(**table)
        names = tuple(f"c{number}" for number in range(1, plan.conversations + 1))
        place = Place(endpoint, table["TableName"], names, Path(folder), now() + plan.seconds, plan.share_of_faults)
        kills = _work(plan, place)
        logs = {name: _log(endpoint, table["TableName"], name) for name in names}
        _finish(place.folder, logs)
        history = history_in(place.folder)
        there = {name: [(message.seq, content_of(message)) for message in log.iter_all()] for name, log in logs.items()}
    counts = tuple(map(len, there.values()))
    return Report(plan, history, kills, counts, violations_in(history, there))


def _log(endpoint: str, table: str, conversation: str) -> MessageLog:
    """A log through a client that does not fail."""
    return MessageLog(DynamoDBStorage(conversation, table=table, client=connect(endpoint)))


def _work(plan: Plan, place: Place) -> int:
    """Runs all processes. Now and then a writer is killed, and another takes its place; how often, is returned."""
    names = (f"w{number}" for number in count(1))
    writers = [_start(write, place, next(names)) for _ in range(plan.writers)]
    others = [_start(read, place, f"r{number}") for number in range(plan.readers)]
    kills = 0
    while now() < place.until:
        time.sleep(min(random.expovariate(1 / plan.kill_every), max(0.0, place.until - now())))
        if now() < place.until - plan.kill_every / 2:
            victim = writers.pop(random.randrange(len(writers)))
            os.kill(victim.pid or 0, signal.SIGKILL)
            others.append(victim)
            kills += 1
            writers.append(_start(write, place, next(names)))
    for process in (*writers, *others):
        process.join(_SECONDS_TO_END)
        if process.exitcode not in (0, -signal.SIGKILL):
            process.kill()
            raise RuntimeError(f"a process came to no good end: {process.exitcode}")
    return kills


def _start(work: Callable[[Place, str], None], place: Place, name: str) -> BaseProcess:
    """By forking, which takes no time; there are no threads here that would be lost by it."""
    process = multiprocessing.get_context("fork").Process(target=work, args=(place, name))
    process.start()
    return process


def _finish(folder: Path, logs: dict[str, MessageLog]) -> None:
    """What was begun with a key and has no known outcome is done again, by this process."""
    history = history_in(folder)
    open_ends = [begin for begin in history.begins if begin.key and begin.append not in history.ends]
    with Journal(folder / "finish.jsonl") as journal:
        for conversation, log in logs.items():
            finish(log, [begin for begin in open_ends if begin.conversation == conversation], journal)
