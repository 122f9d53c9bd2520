"""A botocore hook that counts requests, bytes and capacity.

    meter = Meter(probe)
    meter.attach(client)
    with meter.measure() as spent:
        client.put_item(…)
    spent.cost.write_units

The meter ignores the capacity that the server reports, because an emulator does not send DynamoDB's bill. Sizes come
from the requests and the answers. Some sizes are in neither: an item before a change, the result of an update, the
items that a filter or a projection left out. The meter reads these with its own client, which is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from benchmarks.capacity import Cost, item_size, query_units, read_units, write_units

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# "Condition expressions" and "Transactions" in the developer guide: a write that fails for these is paid for.
_CHARGED_FAILURES = {"ConditionalCheckFailedException", "TransactionCanceledException"}
_WHAT_A_QUERY_GOES_THROUGH = {
    "TableName",
    "IndexName",
    "KeyConditionExpression",
    "Limit",
    "ExclusiveStartKey",
    "ScanIndexForward",
    "ConsistentRead",
}


@dataclass
class Spent:
    """The cost of the requests during a measurement."""

    cost: Cost = field(default_factory=Cost)


class Meter:
    """Counts the cost of requests of the clients that it is attached to.

    `probe` is the meter's own client, for sizes that are not in a request or an answer. Units are counted only inside
    `measure`, and for one thread. The number of requests is right with any number of threads.
    """

    def __init__(self, probe: DynamoDBClient) -> None:
        self.requests = 0
        self._probe = probe
        self._keys: dict[str, list[str]] = {}
        self._spent: Spent | None = None
        self._lock = Lock()

    def attach(self, client: Any) -> None:
        """Count the requests that this client sends after this call."""
        events = client.meta.events
        events.register("before-call.dynamodb", self.begin)
        events.register("before-send.dynamodb", self.count)
        events.register("after-call.dynamodb", self.end)

    @contextmanager
    def measure(self) -> Iterator[Spent]:
        """Yield the cost of the requests inside. It is complete after the block."""
        self._spent = Spent()
        try:
            yield self._spent
        finally:
            self._spent = None

    def count(self, **_: Any) -> None:
        """Hook `before-send`: count each try of a request."""
        with self._lock:
            self.requests += 1
            if self._spent:
                self._spent.cost += Cost(requests=1)

    def begin(self, model: Any, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        """Hook `before-call`: remember the request, and the sizes of the items that it may change."""
        if self._spent is None:
            return
        body = params["body"]
        request = json.loads(body)
        writes = list(_writes(model.name, request))
        before = [self._size(table, key_or_item) for table, key_or_item, _ in writes]
        context["metered"] = (len(body), request, writes, before)

    def end(self, http_response: Any, model: Any, context: dict[str, Any], **_: Any) -> None:
        """Hook `after-call`: add the cost of the request."""
        metered = context.pop("metered", None)
        if self._spent is None or metered is None:
            return
        sent, request, writes, before = metered
        answer = json.loads(http_response.content or b"{}")
        read = written = 0.0
        if http_response.status_code < 300:
            read = self._read_units(model.name, request, answer)
        if http_response.status_code < 300 or answer["__type"].rpartition("#")[2] in _CHARGED_FAILURES:
            after = [item_size(item) if whole else self._size(table, item) for table, item, whole in writes]
            written = write_units(map(max, before, after), transaction=model.name == "TransactWriteItems")
        self._spent.cost += Cost(0, read, written, sent, len(http_response.content))

    def _read_units(self, operation: str, request: dict[str, Any], answer: dict[str, Any]) -> float:
        strong = bool(request.get("ConsistentRead"))
        match operation:
            case "GetItem":
                return read_units([self._size(request["TableName"], request["Key"])], strong=strong)
            case "Query":
                return query_units(self._sizes_read(request, answer), strong=strong)
            case "BatchGetItem":
                return sum(
                    read_units(
                        [self._size(table, key) for key in asked["Keys"]], strong=bool(asked.get("ConsistentRead"))
                    )
                    for table, asked in request["RequestItems"].items()
                )
            case "Scan" | "TransactGetItems" | "ExecuteStatement":
                raise NotImplementedError(f"the meter does not know the cost of {operation}: add it to _read_units")
        return 0.0

    def _sizes_read(self, request: dict[str, Any], answer: dict[str, Any]) -> list[int]:
        """Return the sizes of all items that a Query read, even if a filter or a projection hid them."""
        items = answer.get("Items", [])
        if request.get("Select") == "COUNT" or "FilterExpression" in request or "ProjectionExpression" in request:
            condition = request["KeyConditionExpression"]
            whole = {name: value for name, value in request.items() if name in _WHAT_A_QUERY_GOES_THROUGH}
            for field in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
                used = {name: value for name, value in request.get(field, {}).items() if name in condition}
                whole |= {field: used} if used else {}
            items = self._probe.query(**whole)["Items"]
        return [item_size(item) for item in items]

    def _size(self, table: str, item: Mapping[str, Any]) -> int:
        """Return the size of the stored item with the same key, or 0 if there is none."""
        if table not in self._keys:
            schema = self._probe.describe_table(TableName=table)["Table"]["KeySchema"]
            self._keys[table] = [part["AttributeName"] for part in schema]
        key = {name: item[name] for name in self._keys[table]}
        found = self._probe.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")
        return item_size(found) if found else 0


def _writes(operation: str, request: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield for each write: the table, the item or its key, and whether it is the whole new item."""
    match operation:
        case "PutItem":
            yield request["TableName"], request["Item"], True
        case "UpdateItem" | "DeleteItem":
            yield request["TableName"], request["Key"], False
        case "BatchWriteItem":
            for table, actions in request["RequestItems"].items():
                for action in actions:
                    put = "PutRequest" in action
                    yield table, action["PutRequest"]["Item"] if put else action["DeleteRequest"]["Key"], put
        case "TransactWriteItems":
            for action in request["TransactItems"]:
                ((kind, action),) = action.items()
                yield action["TableName"], action["Item"] if kind == "Put" else action["Key"], kind == "Put"
