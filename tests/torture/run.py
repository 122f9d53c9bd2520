"""A run: processes append to one MiniStack and read from it, while they fail. Then their history is checked."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage

from local.dynamodb import CREDENTIALS, connect, embedded_dynamodb
from local.template import read_template
from tests.torture.checker import Violation, violations_in
from tests.torture.history import History, Journal, history_in, now
from tests.torture.processes import Processes
from tests.torture.workers import Job, content_of, finish


@dataclass(frozen=True)
class Plan:
    """The settings of a run. `kill_every` and `freeze_every` are mean numbers of seconds."""

    seconds: float = 120.0
    writers: int = 6
    readers: int = 2
    conversations: int = 2
    share_of_faults: float = 0.2
    kill_every: float = 3.0
    freeze_every: float = 3.0


@dataclass(frozen=True)
class Report:
    """The result of a run.

    Attributes:
        plan: The settings.
        history: Everything that the processes wrote down.
        kills: The number of writers that were killed.
        counts: The number of messages in each conversation at the end.
        violations: The broken promises.
    """

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
    """Lets the processes work, and checks the log and their history."""
    os.environ.update(CREDENTIALS)
    with embedded_dynamodb() as endpoint, tempfile.TemporaryDirectory(prefix="torture-") as folder:
        table = read_template().tables["MessageTable"]
        connect(endpoint).create_table(**table)
        names = tuple(f"c{number}" for number in range(1, plan.conversations + 1))
        job = Job(endpoint, table["TableName"], names, Path(folder), now() + plan.seconds, plan.share_of_faults)
        processes = Processes(job, plan.writers, plan.readers)
        processes.work(kill_every=plan.kill_every, freeze_every=plan.freeze_every)
        logs = {name: _log(endpoint, table["TableName"], name) for name in names}
        _finish(job.folder, logs)
        history = history_in(job.folder)
        stored = {name: [(message.seq, content_of(message)) for message in log.all()] for name, log in logs.items()}
    counts = tuple(map(len, stored.values()))
    return Report(plan, history, processes.kills, counts, violations_in(history, stored))


def _log(endpoint: str, table: str, conversation: str) -> MessageLog:
    """A log with a client that does not fail."""
    return MessageLog(DynamoDBStorage(conversation, table=table, client=connect(endpoint)))


def _finish(folder: Path, logs: dict[str, MessageLog]) -> None:
    """Repeats, in this process, every append that has a key and no known outcome."""
    history = history_in(folder)
    unfinished = [begin for begin in history.begins if begin.key and begin.append not in history.ends]
    with Journal(folder / "finish.jsonl") as journal:
        for conversation, log in logs.items():
            finish(log, [begin for begin in unfinished if begin.conversation == conversation], journal)
