"""One conversation's items: requests to DynamoDB, tried again as long as it is worth it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from messagelog.dynamodb import keys
from messagelog.dynamodb.counters import Counters
from messagelog.dynamodb.faults import FAILURES, Meaning, error_for, fault_of
from messagelog.dynamodb.retry import Retry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")

_LARGEST_PAGE = 10_000  # rows; more than a page of 1 MB holds of any worth reading


def count_in(head: Mapping[str, Any]) -> int:
    """The count in a counter item."""
    return int(head["count"]["N"])


class ConversationTable:
    """The table as one conversation sees it. `resends`: the client may send a request again by itself."""

    def __init__(
        self, client: DynamoDBClient, name: str, conversation: str, retry: Retry, counters: Counters | None = None
    ) -> None:
        keys.check_conversation(conversation)
        self.client = client
        self.name = name
        self.conversation = conversation
        self.retry = retry
        self.counters = counters or Counters()
        retries: Mapping[str, Any] = client.meta.config.retries  # type: ignore[attr-defined]
        self.resends = retries.get("total_max_attempts") != 1

    def key(self, entry: str) -> dict[str, Any]:
        """The primary key of an entry."""
        return keys.key(self.conversation, entry)

    def get(self, entry: str, *, consistent: bool = True) -> dict[str, Any] | None:
        """The item, None if there is none. Tried once."""
        reply = self._send(self.client.get_item, TableName=self.name, Key=self.key(entry), ConsistentRead=consistent)
        return dict(reply["Item"]) if "Item" in reply else None

    def put(self, item: dict[str, Any]) -> None:
        """Puts an item under no condition: it is new, or the same as the one that is there."""
        self.ask(lambda: self._send(self.client.put_item, TableName=self.name, Item=item))

    def delete(self, entry: str) -> None:
        """Deletes an item, if it is there: one of a chat, since no role may delete from the log's table."""
        self.ask(lambda: self._send(self.client.delete_item, TableName=self.name, Key=self.key(entry)))

    def transact(self, request: Mapping[str, Any]) -> None:
        """Sends a transaction. Tried once."""
        self._send(self.client.transact_write_items, **request)

    def head(self, *, consistent: bool = True) -> int:
        """The count in the counter item. Tried once."""
        item = self.get(keys.HEAD, consistent=consistent)
        return 0 if item is None else count_in(item)

    def query(
        self,
        first: str,
        last: str,
        *,
        newest_first: bool = False,
        limit: int | None = None,
        page: int | None = None,
        consistent: bool = True,
    ) -> Iterator[dict[str, Any]]:
        """The items with sort keys from `first` to `last`, at most `limit`, page by page as they are consumed.

        `page` is the number of items to ask for at first, doubled with each page; without it, a page is what DynamoDB
        gives: 1 MB.
        """
        request: dict[str, Any] = {
            "TableName": self.name,
            "KeyConditionExpression": "#conversation = :conversation AND #entry BETWEEN :first AND :last",
            "ExpressionAttributeNames": {"#conversation": "conversation", "#entry": "entry"},
            "ExpressionAttributeValues": {
                ":conversation": {"S": self.conversation},
                ":first": {"S": first},
                ":last": {"S": last},
            },
            "ScanIndexForward": not newest_first,
            "ConsistentRead": consistent,
        }
        while limit is None or limit > 0:
            sizes = [size for size in (limit, page) if size is not None]
            if sizes:
                request["Limit"] = min(*sizes, _LARGEST_PAGE)
            reply = self.ask(lambda: self._send(self.client.query, **request))
            yield from reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]
            limit = limit and limit - len(reply["Items"])
            page = page and 2 * page

    def _send(self, request: Callable[..., T], **parameters: Any) -> T:
        """The answer to one request, which is not begun behind the deadline."""
        self.retry.begin()
        return request(**parameters)

    def ask(self, request: Callable[[], T], *, end: float | None = None) -> T:
        """The answer to a request that may be sent any number of times, until `end` or as long as `retry` says."""
        for attempt in self.retry.attempts(end):
            self.counters.retries += attempt > 0
            try:
                return request()
            except FAILURES as error:
                fault, cause = fault_of(error), error
                if fault.meaning is Meaning.REFUSED:
                    break
        raise error_for(fault) from cause
