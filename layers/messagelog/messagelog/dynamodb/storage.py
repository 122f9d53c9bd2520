"""A log in DynamoDB: one table, one item a message, and one counter item a conversation.

An append is one TransactWriteItems: it moves the counter `head` under the condition that nobody else has moved it, and
puts the rows behind it. So the seqs have no gap, and nothing is half there. The condition needs the count: a warm
process remembers it and appends in one request without a read; a cold one reads `head` first. If the memory was stale,
the cancelled transaction brings the real count back.

A request whose reply was lost is sent again as it was, with its ClientRequestToken, so that it cannot be done twice
(DynamoDB keeps a token for ten minutes). Once the counter has moved on without it, it never will be done: it counts as
not written, and a new one is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from messagelog.dynamodb import keys, reading
from messagelog.dynamodb.counters import Counters
from messagelog.dynamodb.retry import Retry
from messagelog.dynamodb.table import ConversationTable
from messagelog.dynamodb.writing import Append
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.storage import Appended

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CONNECT_TIMEOUT = 1.0
READ_TIMEOUT = 3.0


def default_client() -> DynamoDBClient:
    """A client that leaves the retries to this module, and gives up on a silent connection within seconds."""
    return boto3.client(
        "dynamodb",
        config=Config(
            connect_timeout=CONNECT_TIMEOUT,
            read_timeout=READ_TIMEOUT,
            retries={"total_max_attempts": 1},
            max_pool_connections=50,
            tcp_keepalive=True,
        ),
    )


class DynamoDBStorage:
    """Keeps one conversation in a table with the partition key `conversation` and the sort key `entry`, both text.

    `client` is a boto3 DynamoDB client, shared as you like between threads and storages; without one, each storage
    makes its own. Best is one from `default_client`: a client that retries by itself tells of its last try alone, so
    an append may end in UnknownOutcomeError that another client would know was not written. `retry` bounds how long a
    request is tried; `counters` are told what is done. Raises ValueError for a conversation that DynamoDB cannot take.
    """

    def __init__(
        self,
        conversation: str,
        *,
        table: str,
        client: DynamoDBClient | None = None,
        retry: Retry | None = None,
        counters: Counters | None = None,
    ) -> None:
        self._table = ConversationTable(client or default_client(), table, conversation, retry or Retry(), counters)

    def append(
        self,
        messages: Sequence[AgentMessage],
        *,
        expected_count: int | None = None,
        idempotency_key: str | None = None,
        also: Sequence[dict[str, Any]] = (),
    ) -> Appended:
        """See `Storage.append`. One request when warm; a cold process reads `head` before it.

        `also` are actions of TransactWriteItems: ConditionCheck, Delete, Put or Update.
        """
        return Append(self._table, messages, expected_count, idempotency_key, also).run()

    def read(
        self, *, after: int = 0, limit: int | None = None, newest_first: bool = False, consistent: bool = True
    ) -> Iterator[StoredMessage]:
        """See `Storage.read`. A Query for each page of 1 MB, sent when the page before it is used up."""
        if after >= keys.MAX_SEQ:
            return iter(())
        return reading.read(self._table, after=after, limit=limit, newest_first=newest_first, consistent=consistent)

    def count(self, *, consistent: bool = True) -> int:
        """See `Storage.count`. One GetItem."""
        return self._table.ask(lambda: self._table.head(consistent=consistent))
