"""One conversation's items in a table, and the one loop that sends a request again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from messagelog.dynamodb import keys
from messagelog.dynamodb.clients import check_client, check_table
from messagelog.dynamodb.clock import server_clock_of
from messagelog.dynamodb.counters import Counters
from messagelog.dynamodb.damage import intact
from messagelog.dynamodb.faults import FAILURES, Fault, Meaning, error_for, fault_of
from messagelog.dynamodb.retry import Attempts, Retry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")

_LARGEST_PAGE = 10_000  # rows; a page of 1 MB holds fewer


def count_in(head: Mapping[str, Any]) -> int:
    """The count in a counter item. Raises StorageUnavailableError for a damaged one."""
    return intact(lambda: int(head["count"]["N"]))


class ConversationTable:
    """The items of one conversation in a table.

    `resends` is true if the client may send a request again by itself. `clock` is DynamoDB's time.

    Raises:
        ValueError: The conversation or the table's name is not legal.
        TypeError: The client is not a client for DynamoDB.
    """

    def __init__(
        self, client: DynamoDBClient, name: str, conversation: str, retry: Retry, counters: Counters | None = None
    ) -> None:
        keys.check_conversation(conversation)
        check_table(name)
        check_client(client)
        self.client = client
        self.name = name
        self.conversation = conversation
        self.retry = retry
        self.counters = counters or Counters()
        retries: Mapping[str, Any] = client.meta.config.retries  # type: ignore[attr-defined]
        self.resends = retries.get("total_max_attempts") != 1
        self.clock = server_clock_of(client)

    def key(self, entry: str) -> dict[str, Any]:
        """The primary key of an entry."""
        return keys.key(self.conversation, entry)

    def get(self, entry: str, *, consistent: bool = True) -> dict[str, Any] | None:
        """Returns the item, or None. The request is tried once."""
        reply = self._send(self.client.get_item, TableName=self.name, Key=self.key(entry), ConsistentRead=consistent)
        return dict(reply["Item"]) if "Item" in reply else None

    def put(self, item: dict[str, Any]) -> None:
        """Puts an item without a condition. The item is new, or equal to the stored one."""
        self.ask(lambda: self._send(self.client.put_item, TableName=self.name, Item=item))

    def delete(self, entry: str) -> None:
        """Deletes an item of a chat, if it is there. No role may delete from the log's table."""
        self.ask(lambda: self._send(self.client.delete_item, TableName=self.name, Key=self.key(entry)))

    def transact(self, request: Mapping[str, Any]) -> None:
        """Sends a transaction. The request is tried once."""
        self._send(self.client.transact_write_items, **request)

    def head(self, *, consistent: bool = True) -> int:
        """Returns the count in the counter item. The request is tried once."""
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
        """Yields the items with sort keys from `first` to `last`, page by page while they are consumed.

        Args:
            first: The smallest sort key.
            last: The largest sort key.
            newest_first: Begin with the largest sort key.
            limit: The largest number of items; None for all.
            page: The number of items in the first request, doubled for each further one. Without it, DynamoDB fills a
                page up to 1 MB.
            consistent: Whether to read strongly.
        """
        request = self._range(first, last) | {"ScanIndexForward": not newest_first, "ConsistentRead": consistent}
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

    def _range(self, first: str, last: str) -> dict[str, Any]:
        """The part of a Query that says which sort keys to read."""
        return {
            "TableName": self.name,
            "KeyConditionExpression": "#conversation = :conversation AND #entry BETWEEN :first AND :last",
            "ExpressionAttributeNames": {"#conversation": "conversation", "#entry": "entry"},
            "ExpressionAttributeValues": {
                ":conversation": {"S": self.conversation},
                ":first": {"S": first},
                ":last": {"S": last},
            },
        }

    def _send(self, request: Callable[..., T], **parameters: Any) -> T:
        """Returns the answer to one request. No request begins after the deadline."""
        self.retry.begin()
        return request(**parameters)

    def ask(
        self,
        request: Callable[[], T],
        *,
        learn: Callable[[Fault, Attempts], T | None] | None = None,
        deciding: int = 0,
        end: float | None = None,
    ) -> T:
        """Sends a request again and again until it succeeds, or the time is up. This is the only retry loop.

        Args:
            request: Sends the request once.
            learn: Called after each failed try, before the next one. Returns the result if it is known now, else None;
                may raise to end the tries.
            deciding: Of a transaction, the number of leading actions whose conditions may fail in normal operation.
            end: The time on the retry's clock until which to try; by default, as long as `retry` says.

        Raises:
            NotWrittenError: The last try failed. The caller must check whether an earlier try was written.
        """
        attempts = self.retry.attempts(end)
        for attempt in attempts:
            self.counters.retries += attempt > 0
            try:
                return request()
            except FAILURES as error:
                fault, cause = fault_of(error, deciding=deciding, resends=self.resends), error
            if learn is not None and (known := learn(fault, attempts)) is not None:
                return known
            if fault.meaning is Meaning.REFUSED:
                break
        raise error_for(fault) from cause
