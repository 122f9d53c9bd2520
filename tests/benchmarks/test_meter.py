"""The meter counts the known cost of each request."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from benchmarks.capacity import Cost
from benchmarks.meter import Meter

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def key(entry: str) -> dict[str, Any]:
    return {"conversation": {"S": "c1"}, "entry": {"S": entry}}


def item(entry: str, size: int) -> dict[str, Any]:
    """Return an item of `size` bytes."""
    blank = {**key(entry), "x": {"S": ""}}
    return {**blank, "x": {"S": "x" * (size - len("conversationc1entryx") - len(entry))}}


class Metered:
    """A metered client of an empty table."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.client: DynamoDBClient = boto3.client("dynamodb")
        self.meter = Meter(boto3.client("dynamodb"))
        self.meter.attach(self.client)

    def put(self, entry: str, size: int) -> None:
        self.client.put_item(TableName=self.table, Item=item(entry, size))

    def units(self, operation: str, **request: Any) -> tuple[float, float]:
        """Return the read and write units of a request. The request may fail."""
        with self.meter.measure() as spent, suppress(self.client.exceptions.ClientError):
            getattr(self.client, operation)(**request)
        assert spent.cost.requests == 1
        return spent.cost.read_units, spent.cost.write_units


@pytest.fixture
def metered(moto_table: DynamoDBClient, table_definition: dict[str, Any]) -> Metered:
    return Metered(table_definition["TableName"])


def test_a_put_costs_the_larger_of_before_and_after(metered: Metered) -> None:
    table = metered.table
    assert metered.units("put_item", TableName=table, Item=item("a", 1024)) == (0, 1)
    assert metered.units("put_item", TableName=table, Item=item("a", 1025)) == (0, 2)
    assert metered.units("put_item", TableName=table, Item=item("a", 100)) == (0, 2)
    assert metered.units("put_item", TableName=table, Item=item("a", 100)) == (0, 1)


def test_an_update_and_a_delete_cost_the_whole_item(metered: Metered) -> None:
    metered.put("a", 3000)
    update = {
        "TableName": metered.table,
        "Key": key("a"),
        "UpdateExpression": "SET y = :y",
        "ExpressionAttributeValues": {":y": {"S": "y" * 1000}},
    }
    assert metered.units("update_item", **update) == (0, 4)
    assert metered.units("delete_item", TableName=metered.table, Key=key("a")) == (0, 4)
    assert metered.units("delete_item", TableName=metered.table, Key=key("a")) == (0, 1)


def test_a_failed_condition_costs_and_a_refused_request_does_not(metered: Metered) -> None:
    metered.put("a", 3000)
    put = {"TableName": metered.table, "Item": item("a", 50)}
    assert metered.units("put_item", **put, ConditionExpression="attribute_not_exists(entry)") == (0, 3)
    assert metered.units("put_item", TableName=metered.table, Item=item("b", 410 * 1024)) == (0, 0)


def test_a_transaction_costs_double_even_if_it_fails(metered: Metered) -> None:
    put = {"TableName": metered.table, "ConditionExpression": "attribute_not_exists(entry)"}
    actions = [{"Put": {**put, "Item": item("a", 1025)}}, {"Put": {**put, "Item": item("b", 100)}}]
    assert metered.units("transact_write_items", TransactItems=actions) == (0, 6)
    assert metered.units("transact_write_items", TransactItems=actions) == (0, 6)


def test_a_batch_costs_the_sum_of_its_writes_and_reads(metered: Metered) -> None:
    writes = [{"PutRequest": {"Item": item("a", 5000)}}, {"PutRequest": {"Item": item("b", 100)}}]
    assert metered.units("batch_write_item", RequestItems={metered.table: writes}) == (0, 6)
    keys = {"Keys": [key("a"), key("b"), key("c")]}
    assert metered.units("batch_get_item", RequestItems={metered.table: keys}) == (2, 0)
    keys["ConsistentRead"] = True  # type: ignore[assignment]
    assert metered.units("batch_get_item", RequestItems={metered.table: keys}) == (4, 0)


def test_a_get_costs_the_whole_item(metered: Metered) -> None:
    metered.put("a", 5000)
    get = {"TableName": metered.table, "Key": key("a"), "ProjectionExpression": "entry"}
    assert metered.units("get_item", **get) == (1, 0)
    assert metered.units("get_item", **get, ConsistentRead=True) == (2, 0)
    assert metered.units("get_item", TableName=metered.table, Key=key("b"), ConsistentRead=True) == (1, 0)


@pytest.mark.parametrize(
    "hidden",
    [
        {},
        {"Select": "COUNT"},
        {"ProjectionExpression": "#e", "ExpressionAttributeNames": {"#e": "entry"}},
        {"FilterExpression": "x = :c"},
    ],
    ids=str,
)
def test_a_query_costs_all_items_that_it_reads(metered: Metered, hidden: dict[str, Any]) -> None:
    for entry in "abcd":
        metered.put(entry, 3000)
    query = {
        "TableName": metered.table,
        "KeyConditionExpression": "conversation = :c",
        "ExpressionAttributeValues": {":c": {"S": "c1"}},
        **hidden,
    }
    assert metered.units("query", **query) == (1.5, 0)
    assert metered.units("query", **query, ConsistentRead=True) == (3, 0)
    assert metered.units("query", **query, ConsistentRead=True, Limit=2) == (2, 0)


def test_an_operation_of_unknown_cost_is_refused(metered: Metered) -> None:
    with pytest.raises(NotImplementedError, match="the cost of Scan"):
        metered.units("scan", TableName=metered.table)


def test_units_count_only_in_a_measurement_without_the_probe(metered: Metered) -> None:
    metered.put("a", 100)
    with metered.meter.measure() as spent:
        pass
    metered.put("a", 100)
    assert spent.cost == Cost()
    assert metered.meter.requests == 2


def test_bytes_are_the_bytes_of_the_bodies(metered: Metered) -> None:
    metered.put("a", 3000)
    with metered.meter.measure() as spent:
        metered.client.get_item(TableName=metered.table, Key=key("a"))
    assert 50 < spent.cost.bytes_sent < 300
    assert 3000 < spent.cost.bytes_received < 3200
