"""A log in DynamoDB: one table, one item for each message, and one counter item for each conversation.

An append is one TransactWriteItems. It moves the counter `head`, under the condition that nobody else has moved it, and
puts the rows after it. So the seqs have no gap, and an append is never stored in part. The condition needs the count: a
warm process remembers it and appends with one request and no read; a cold one reads `head` first. If the remembered
count is stale, the cancelled transaction returns the real one. `writing.py` describes what happens when a reply is
lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from messagelog.dynamodb import keys, reading
from messagelog.dynamodb.clients import default_client
from messagelog.dynamodb.counters import Counters
from messagelog.dynamodb.retry import Retry
from messagelog.dynamodb.table import ConversationTable
from messagelog.dynamodb.writing import Writer
from messagelog.messages import StoredMessage
from messagelog.storage import Append, Appended

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoDBStorage:
    """Keeps one conversation in a DynamoDB table.

    Args:
        conversation: The conversation: 1 to 2,048 bytes of text.
        table: The table's name. It has the partition key `conversation` and the sort key `entry`, both text.
        client: A boto3 client for DynamoDB, which threads and storages may share. Without it, each storage makes its
            own. `default_client()` is best. A client that retries by itself reports only its last try, so an append may
            end with UnknownOutcomeError although nothing was written.
        retry: How long a request is tried.
        counters: Counts what is done.

    Raises:
        ValueError: The conversation or the table's name is not legal.
        TypeError: The client is not a client for DynamoDB.
        StorageUnavailableError: No region is configured.
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

    def append(self, append: Append) -> Appended:
        """See `Storage.append`. One request when warm; a cold process reads `head` before it.

        The conditions are actions of TransactWriteItems: ConditionCheck, Delete, Put or Update.
        """
        return Writer(self._table, append).run()

    def read(
        self, *, after: int = 0, limit: int | None = None, newest_first: bool = False, consistent: bool = True
    ) -> Iterator[StoredMessage]:
        """See `Storage.read`. One Query for each page of 1 MB, sent when the page before it is used up."""
        if after >= keys.MAX_SEQ:
            return iter(())
        return reading.read(self._table, after=after, limit=limit, newest_first=newest_first, consistent=consistent)

    def count(self, *, consistent: bool = True) -> int:
        """See `Storage.count`. One GetItem."""
        return self._table.ask(lambda: self._table.head(consistent=consistent))
