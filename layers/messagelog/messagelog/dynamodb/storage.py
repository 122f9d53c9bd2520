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

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import boto3
from botocore.config import Config

from messagelog import codec
from messagelog.dynamodb import keys
from messagelog.dynamodb.faults import FAILURES, Meaning, error_for, fault_of
from messagelog.dynamodb.highwater import marks_of
from messagelog.dynamodb.limits import check_fits
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.dynamodb.retry import Retry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")

CONNECT_TIMEOUT = 1.0
READ_TIMEOUT = 3.0
_ANY_LENGTH = 10_000  # more than a page of 1 MB holds of rows worth reading at once


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
    makes its own. `retry` bounds how long a request is tried. Raises ValueError for a conversation that DynamoDB cannot
    take.
    """

    def __init__(
        self, conversation: str, *, table: str, client: DynamoDBClient | None = None, retry: Retry | None = None
    ) -> None:
        keys.check_conversation(conversation)
        self._conversation = conversation
        self._table = table
        self._client = client or default_client()
        self._retry = retry or Retry()
        self._marks = marks_of(self._client)
        self._mark = (table, conversation)

    def append(self, messages: Sequence[AgentMessage]) -> list[StoredMessage]:
        """See `Storage.append`. One request when warm; a cold process reads `head` before it."""
        at = datetime.now(UTC)
        count = self._marks.get(self._mark)
        transaction: dict[str, Any] | None = None
        unknown = False
        for _ in self._retry.attempts():
            try:
                if count is None:
                    count = self._head()
                if transaction is None:
                    rows = [StoredMessage.of(m, seq=count + i, at=at) for i, m in enumerate(messages, 1)]
                    transaction = self._transaction(rows, count)
                self._client.transact_write_items(**transaction)
                self._marks.put(self._mark, rows[-1].seq)
                return rows
            except FAILURES as error:
                fault, cause = fault_of(error), error
                unknown = unknown or (transaction is not None and fault.meaning is Meaning.UNKNOWN)
                if fault.meaning is Meaning.REFUSED:
                    break
                if fault.meaning is Meaning.MOVED:
                    count = _count_in(fault.head) if fault.head else None
                    transaction, unknown = None, False
        self._marks.forget(self._mark)
        raise error_for(fault, unknown=unknown) from cause

    def read(
        self, *, after: int = 0, limit: int | None = None, newest_first: bool = False, consistent: bool = True
    ) -> Iterator[StoredMessage]:
        """See `Storage.read`. A Query for each page of 1 MB, sent when the page before it is used up."""
        if after >= keys.MAX_SEQ:
            return
        query = self._query(after, newest_first, consistent)
        left = limit
        while True:
            if left is not None:
                query["Limit"] = min(left, _ANY_LENGTH)
            page = self._ask(lambda: self._client.query(**query))
            for item in page["Items"]:
                yield codec.from_item(item, keys.seq_of(item["entry"]["S"]))
            if left is not None:
                left -= len(page["Items"])
            if "LastEvaluatedKey" not in page or left == 0:
                return
            query["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def count(self, *, consistent: bool = True) -> int:
        """See `Storage.count`. One GetItem."""
        return self._ask(lambda: self._head(consistent=consistent))

    def _query(self, after: int, newest_first: bool, consistent: bool) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "KeyConditionExpression": "#conversation = :conversation AND #entry BETWEEN :first AND :last",
            "ExpressionAttributeNames": {"#conversation": "conversation", "#entry": "entry"},
            "ExpressionAttributeValues": {
                ":conversation": {"S": self._conversation},
                ":first": {"S": keys.message_entry(after + 1)},
                ":last": {"S": keys.message_entry(keys.MAX_SEQ)},
            },
            "ScanIndexForward": not newest_first,
            "ConsistentRead": consistent,
        }

    def _head(self, *, consistent: bool = True) -> int:
        reply = self._client.get_item(
            TableName=self._table, Key=keys.head(self._conversation), ConsistentRead=consistent
        )
        return _count_in(reply["Item"]) if "Item" in reply else 0

    def _ask(self, read: Callable[[], T]) -> T:
        for _ in self._retry.attempts():
            try:
                return read()
            except FAILURES as error:
                fault, cause = fault_of(error), error
                if fault.meaning is Meaning.REFUSED:
                    break
        raise error_for(fault) from cause

    def _transaction(self, rows: Sequence[StoredMessage], count: int) -> dict[str, Any]:
        """The request that moves the counter from `count` to the last of the rows, and puts them."""
        items = [keys.message(self._conversation, row.seq) | codec.to_item(row) for row in rows]
        check_fits(items)
        new = {"TableName": self._table, "ConditionExpression": "attribute_not_exists(#entry)"}
        puts = [{"Put": {**new, "Item": item, "ExpressionAttributeNames": {"#entry": "entry"}}} for item in items]
        return {
            "TransactItems": [{"Update": self._advance(count, rows[-1].seq)}, *puts],
            "ClientRequestToken": str(uuid4()),
        }

    def _advance(self, count: int, new_count: int) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "Key": keys.head(self._conversation),
            "UpdateExpression": "SET #count = :new",
            "ConditionExpression": "#count = :expected" if count else "attribute_not_exists(#count)",
            "ExpressionAttributeNames": {"#count": "count"},
            "ExpressionAttributeValues": {
                ":new": _number(new_count),
                **({":expected": _number(count)} if count else {}),
            },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }


def _number(value: int) -> dict[str, str]:
    return {"N": str(value)}


def _count_in(head: Mapping[str, Any]) -> int:
    return int(head["count"]["N"])
