"""The cheapest store that is correct for one writer: one conditional put for each append, with boto3 alone.

It has no counter and no batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from messagelog import codec
from messagelog.dynamodb import items

from benchmarks.stores import Message

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class BareConversation:
    """Rows like those of the log. An append fails after a put by another writer, and is not tried again."""

    def __init__(self, client: DynamoDBClient, table: str, conversation: str) -> None:
        self._client = client
        self._table = table
        self._conversation = {"S": conversation}
        self._count = self.count()

    def append(self, messages: Sequence[Message]) -> None:
        for message in messages:
            item = items.to_item(codec.parse(message), datetime.now(UTC))
            key = {"conversation": self._conversation, "entry": {"S": f"msg#{self._count + 1:012d}"}}
            self._client.put_item(
                TableName=self._table,
                Item={**key, **item},
                ConditionExpression="attribute_not_exists(#entry)",
                ExpressionAttributeNames={"#entry": "entry"},
            )
            self._count += 1

    def all(self) -> Sequence[Any]:
        return list(self._query())

    def last(self, n: int) -> Sequence[Any]:
        return list(self._page(ScanIndexForward=False, Limit=n)["Items"])[::-1]

    def count(self) -> int:
        newest = self.last(1)
        return int(newest[0]["entry"]["S"].removeprefix("msg#")) if newest else 0

    def views(self) -> Mapping[str, Callable[[int], object]]:
        return {}

    def _query(self) -> Sequence[Any]:
        page = self._page()
        items = list(page["Items"])
        while "LastEvaluatedKey" in page:
            page = self._page(ExclusiveStartKey=page["LastEvaluatedKey"])
            items += page["Items"]
        return items

    def _page(self, **more: Any) -> Any:
        return self._client.query(
            TableName=self._table,
            KeyConditionExpression="conversation = :c",
            ExpressionAttributeValues={":c": self._conversation},
            ConsistentRead=True,
            **more,
        )


class BareStore:
    """Conditional puts into an existing table."""

    name = "conditional put (bare boto3)"
    fill_by = 100
    longest = 10_000

    def __init__(self, table: str, connect: Callable[[], DynamoDBClient]) -> None:
        self._table = table
        self._connect = connect

    def open(self, conversation: str) -> BareConversation:
        return BareConversation(self._connect(), self._table, f"bare-{conversation}")

    def text_of(self, message: Any) -> str:
        return str(items.from_item(message, 0).content)
