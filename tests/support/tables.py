"""Fixtures `on_moto` and `on_ministack`: a new MessageTable, and a client of it that fails as a test orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage, Retry, default_client

from local.dynamodb import CREDENTIALS
from tests.support.clock import Clock
from tests.support.faulty import Faulty, Ok, Outcome, Request, Unreachable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PATIENT = Retry(budget=60)
"""Tries for so long that no test fails because the machine is slow."""


@dataclass
class Table:
    """A new, empty table. A test sees every request that the library sends through `faulty`, and can let it fail."""

    name: str
    faulty: Faulty
    clock: Clock = field(default_factory=Clock)

    @property
    def retry(self) -> Retry:
        """Tries for five seconds of `clock`, which pass without waiting."""
        return Retry(random=lambda: 0.5, clock=self.clock, sleep=self.clock.sleep)

    def storage(self, conversation: str = "c1") -> DynamoDBStorage:
        """The conversation in this process."""
        return DynamoDBStorage(conversation, table=self.name, client=self.faulty.client, retry=self.retry)

    def log(self, conversation: str = "c1") -> MessageLog:
        """The log in this process."""
        return MessageLog(self.storage(conversation))

    def other(self, conversation: str = "c1", client: DynamoDBClient | None = None) -> MessageLog:
        """The log in another process, whose requests do not fail."""
        return MessageLog(DynamoDBStorage(conversation, table=self.name, client=client or default_client()))

    def warm_log(self) -> MessageLog:
        """A log that holds one message and knows its count. The record of requests is empty again."""
        log = self.log()
        log.add("user", "first")
        self.faulty.forget()
        return log

    def blind_after_a_write(self) -> None:
        """Every read after the first transaction fails."""

        def choose(request: Request) -> Outcome:
            is_read = request.operation in ("GetItem", "Query")
            return Unreachable() if is_read and self.faulty.sent("TransactWriteItems") else Ok()

        self.faulty.choose = choose

    def transactions(self) -> list[Request]:
        """The transactions sent so far. This fails if two with the same token differ in a byte."""
        sent = self.faulty.sent("TransactWriteItems")
        bodies: dict[str, bytes] = {}
        for request in sent:
            assert bodies.setdefault(request.parameters["ClientRequestToken"], request.body) == request.body
        return sent

    def tokens(self) -> list[str]:
        """The client token of each transaction sent so far. The first one is named a, the next new one b, and so on."""
        names: dict[str, str] = {}
        return [
            names.setdefault(request.parameters["ClientRequestToken"], "abcdefgh"[len(names)])
            for request in self.transactions()
        ]

    def rows(self) -> list[dict[str, Any]]:
        """All items of the table."""
        return list(default_client().scan(TableName=self.name, ConsistentRead=True)["Items"])


@pytest.fixture
def on_moto(moto_table: DynamoDBClient, table_definition: dict[str, Any]) -> Table:
    """A table on moto. It is fast, ignores client tokens, and is not safe to use from several threads."""
    return Table(table_definition["TableName"], Faulty(default_client()))


@pytest.fixture
def on_ministack(ministack: str, ministack_table: tuple[DynamoDBClient, str], monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table on MiniStack. It honours client tokens and serves many clients at a time."""
    for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL_DYNAMODB": ministack}.items():
        monkeypatch.setenv(name, value)
    return Table(ministack_table[1], Faulty(default_client()))
