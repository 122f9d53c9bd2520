"""A log whose rows a test takes out of the table and puts back, as a commit in progress or damage would show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest
from messagelog import AgentMessage, MessageLog
from messagelog.dynamodb import DynamoDBStorage, Retry, default_client, keys
from messagelog.memory import MemoryStorage

from tests.support.logs import numbered
from tests.support.tables import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


Read = Callable[[MessageLog], Any]
Batches = Sequence[Sequence[AgentMessage]]


def batches_of(*sizes: int) -> Batches:
    """Batches of these sizes. The content of each message names its seq."""
    ends = list(accumulate(sizes))
    return [numbered(end - size + 1, end) for size, end in zip(sizes, ends, strict=True)]


def log_of(batches: Batches) -> MessageLog:
    """The log that these batches make, in memory."""
    log = MessageLog(MemoryStorage())
    for batch in batches:
        log.append_many(batch)
    return log


def shown(messages: Any) -> Any:
    """The result of a read without the times, so that two logs can be compared."""
    if isinstance(messages, list):
        return [shown(message) for message in messages]
    return (messages.seq, messages.content) if hasattr(messages, "seq") else messages


def reads_of(count: int) -> dict[str, Read]:
    """Every kind of read, with every number that may matter in a log of `count` messages."""
    reads: dict[str, Read] = {
        "all()": lambda log: log.all(),
        "last()": lambda log: log.last(),
        "newest_first()": lambda log: list(log.newest_first()),
        "to_openai()": lambda log: log.to_openai(),
        "to_anthropic()": lambda log: log.to_anthropic(),
    }
    for number in range(1, count + 1):
        reads |= {
            f"all(after={number})": lambda log, n=number: log.all(after=n),  # type: ignore[misc]
            f"all(limit={number})": lambda log, n=number: log.all(limit=n),  # type: ignore[misc]
            f"all(after=2, limit={number})": lambda log, n=number: log.all(after=2, limit=n),  # type: ignore[misc]
            f"last({number})": lambda log, n=number: log.last(n),  # type: ignore[misc]
            f"window(last={number})": lambda log, n=number: log.window(last=n),  # type: ignore[misc]
            f"window(after={number}, max_tokens=9)": lambda log, n=number: log.window(after=n, max_tokens=9),  # type: ignore[misc]
        }
    return reads


@dataclass
class Rows:
    """Takes message rows of a conversation out of the table, and puts them back."""

    table: str
    client: DynamoDBClient
    hidden: list[dict[str, Any]] = field(default_factory=list)

    def hide(self, *seqs: int) -> None:
        self.put_back()
        for seq in seqs:
            key = keys.key("c1", keys.message_entry(seq))
            taken = self.client.delete_item(TableName=self.table, Key=key, ReturnValues="ALL_OLD")
            self.hidden.append(taken["Attributes"])

    def put_back(self) -> None:
        for item in self.hidden:
            self.client.put_item(TableName=self.table, Item=item)
        self.hidden.clear()


@pytest.fixture
def rows(on_moto: Table) -> Iterator[Rows]:
    rows = Rows(on_moto.name, default_client())
    yield rows
    rows.put_back()


def impatient(table: Table) -> MessageLog:
    """The log, whose reads are tried three times."""
    retry = Retry(budget=0.035, random=lambda: 1 - 1e-9, clock=table.clock, sleep=table.clock.sleep, base=0.01)
    return MessageLog(DynamoDBStorage("c1", table=table.name, client=table.faulty.client, retry=retry))


def write(table: Table, batches: Batches) -> None:
    for batch in batches:
        table.log().append_many(batch)
