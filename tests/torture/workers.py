"""The work of a process in a run: writers append and readers read, through a client that fails at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import boto3
from botocore.config import Config
from messagelog import (
    AgentMessage,
    ConflictError,
    MessageLog,
    MessageLogError,
    StorageUnavailableError,
    StoredMessage,
    ThrottledError,
    UnknownOutcomeError,
)
from messagelog.dynamodb import DynamoDBStorage, Retry

from tests.support.faulty import Faulty
from tests.torture.faults import RandomFaults
from tests.torture.history import Begin, End, Fault, Hole, Journal, Outcome, Read, digest_of, now
from tests.torture.wall_clock import WallClock, library_modules

READ_TIMEOUT = 1.0
_NOT_WRITTEN = (ConflictError, ThrottledError, StorageUnavailableError)
_PADDING = "All work and no play makes a long message. "


@dataclass(frozen=True)
class Job:
    """The work of all processes.

    Attributes:
        endpoint: The endpoint of DynamoDB.
        table: The name of the table.
        conversations: The conversations to work on.
        folder: Where each process keeps its journal.
        until: The time on `history.now` at which the work ends.
        share: The share of the requests that fail.
    """

    endpoint: str
    table: str
    conversations: tuple[str, ...]
    folder: Path
    until: float
    share: float

    def logs(self, journal: Journal) -> dict[str, MessageLog]:
        """The conversations, through one client of this process, which fails. Some processes are less patient.

        The wall clock of this process steps from now on.
        """
        config = Config(connect_timeout=1, read_timeout=READ_TIMEOUT, retries={"total_max_attempts": 1})
        client = boto3.client("dynamodb", endpoint_url=self.endpoint, config=config)
        clock = WallClock()
        clock.install(library_modules())
        Faulty(client, RandomFaults(self.share, clock.step, lambda kind: journal.write(Fault(kind, now()))))
        retry = Retry(budget=random.choice((0.05, 0.5, 2.0)))
        return {
            name: MessageLog(DynamoDBStorage(name, table=self.table, client=client, retry=retry))
            for name in self.conversations
        }


def content_of(message: StoredMessage) -> str:
    """The text of a message without the padding. No two messages have the same."""
    return message.content.partition(" ")[0]


def message_of(content: str) -> AgentMessage:
    """The message with this content and a padding. Every process makes the same one."""
    padding = _PADDING * (random.Random(content).choice((0, 0, 1, 40)))
    return AgentMessage("user", f"{content} {padding}")


def append(log: MessageLog, begin: Begin) -> int:
    """Performs an append, and returns its seq."""
    messages = [message_of(content) for content in begin.contents]
    if len(messages) == 1:
        return log.append(messages[0], expected_count=begin.expected_count, idempotency_key=begin.key)
    return log.append_many(messages, expected_count=begin.expected_count, idempotency_key=begin.key)


def write(job: Job, writer: str) -> None:
    """Appends until the time is over: single messages, batches and segments, with and without a key or a count."""
    random.seed()  # otherwise all forked processes would do the same
    with Journal(job.folder / f"{writer}.jsonl") as journal:
        logs = job.logs(journal)
        for number in count():
            if now() >= job.until:
                return
            begin = _some_append(f"{writer}.{number}", writer, logs)
            journal.write(begin)
            journal.write(_performed(logs[begin.conversation], begin))


def _some_append(name: str, writer: str, logs: dict[str, MessageLog]) -> Begin:
    conversation = random.choice(list(logs))
    size = random.choice((1, 1, 1, 1, 1, 1, random.randint(2, 20), random.randint(2, 20), random.randint(99, 150)))
    expected_count = None
    if random.random() < 0.1:
        try:
            expected_count = logs[conversation].count()
        except MessageLogError:
            expected_count = None
    return Begin(
        append=name,
        writer=f"{writer} in {conversation}",
        conversation=conversation,
        contents=tuple(f"{name}.{part}" for part in range(size)),
        key=f"key of {name}" if random.random() < 0.4 else None,
        expected_count=expected_count,
        at=now(),
    )


def _performed(log: MessageLog, begin: Begin) -> End:
    """Performs an append. With a key, it tries again and again until the outcome is known."""
    while True:
        outcome: Outcome = "acknowledged"
        seq = None
        try:
            seq = append(log, begin)
        except _NOT_WRITTEN:
            outcome = "refused"
        except UnknownOutcomeError:
            outcome = "unknown"
        if seq is not None or begin.key is None or (outcome == "refused" and begin.expected_count is not None):
            return End(begin.append, outcome, seq, now())


def read(job: Job, reader: str) -> None:
    """Reads until the time is over: the whole log, from a cursor, or the last messages."""
    random.seed()
    with Journal(job.folder / f"{reader}.jsonl") as journal:
        logs = job.logs(journal)
        cursors = dict.fromkeys(logs, 0)
        while now() < job.until:
            conversation = random.choice(list(logs))
            how = random.choice((_all, *[_after] * 12, *[_last] * 8))
            begun = now()
            try:
                first, messages = how(logs[conversation], cursors[conversation])
            except MessageLogError:
                continue
            event = _event_of(conversation, first, messages, begun)
            if isinstance(event, Read):
                cursors[conversation] = event.last
            journal.write(event)


def _all(log: MessageLog, cursor: int) -> tuple[int, list[StoredMessage]]:
    return 1, log.all()


def _after(log: MessageLog, cursor: int) -> tuple[int, list[StoredMessage]]:
    return cursor + 1, log.all(after=cursor)


def _last(log: MessageLog, cursor: int) -> tuple[int, list[StoredMessage]]:
    messages = log.last(random.choice((1, 2, 10, 200)))
    return (messages[0].seq if messages else 1), messages


def _event_of(conversation: str, first: int, messages: Sequence[StoredMessage], begun: float) -> Read | Hole:
    seqs = tuple(message.seq for message in messages)
    if seqs != tuple(range(first, first + len(seqs))):
        return Hole(conversation, seqs, now())
    contents = [content_of(message) for message in messages]
    return Read(conversation, first, first + len(seqs) - 1, digest_of(contents), begun, now())


def finish(log: MessageLog, begins: Sequence[Begin], journal: Journal) -> None:
    """Appends again, with the same key, the messages that a killed process may or may not have appended."""
    for begin in begins:
        try:
            seq = append(log, begin)
        except ConflictError:  # the expected count does not hold
            journal.write(End(begin.append, "refused", None, now()))
        else:
            journal.write(End(begin.append, "acknowledged", seq, now()))
