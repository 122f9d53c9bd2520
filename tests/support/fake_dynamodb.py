"""DynamoDB in a dictionary, for simulations of thousands of runs: as much of it as the library uses.

    tables = Tables()
    client = FakeDynamoDB(tables)

It keeps items, evaluates conditions, commits a transaction whole or not at all, and forgets a client token after ten
minutes of the tables' time ("TransactWriteItems" in the DynamoDB API reference). Replies carry `Date` in whole seconds.
Its reads are strong, and it has no limits of size. The contract tests of a chat state run on it as well as on moto and
MiniStack, so that it cannot promise more than they do.
"""

from __future__ import annotations

import operator
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from types import CodeType, SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError

Item = dict[str, dict[str, Any]]
Deliver = Callable[[str, Mapping[str, Any], Callable[[], Any]], Any]

TOKEN_SECONDS = 600
_OPERATORS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass
class Tables:
    """The items of all tables, DynamoDB's time, and the tokens that it remembers. All hosts share them."""

    now: float = 1_800_000_000.0
    partitions: defaultdict[tuple[str, str], dict[str, Item]] = field(default_factory=lambda: defaultdict(dict))
    tokens: dict[str, float] = field(default_factory=dict)
    on_write: Callable[[str, Item, Item], None] = lambda entry, old, new: None

    def get(self, table: str, key: Mapping[str, Any]) -> Item:
        """The item, empty if there is none."""
        return self.partitions[table, key["conversation"]["S"]].get(key["entry"]["S"], {})

    def set(self, table: str, key: Mapping[str, Any], new: Item) -> None:
        """Replaces an item; an empty one is deleted."""
        entry, partition = key["entry"]["S"], self.partitions[table, key["conversation"]["S"]]
        old = partition.pop(entry, {})
        if new:
            partition[entry] = new
        self.on_write(entry, old, new)


class FakeDynamoDB:
    """A client. `deliver(operation, request, do)` decides what becomes of each request; `do()` carries it out."""

    def __init__(self, tables: Tables, deliver: Deliver = lambda operation, request, do: do()) -> None:
        self._tables = tables
        self._deliver = deliver
        self._listeners: list[Callable[..., None]] = []
        events = SimpleNamespace(register=lambda name, listener: self._listeners.append(listener))
        config = SimpleNamespace(retries={"total_max_attempts": 1})
        self.meta = SimpleNamespace(
            events=events, config=config, service_model=SimpleNamespace(service_name="dynamodb")
        )

    def get_item(self, **request: Any) -> dict[str, Any]:
        return self._answer("GetItem", request, self._got)

    def query(self, **request: Any) -> dict[str, Any]:
        return self._answer("Query", request, self._found)

    def put_item(self, **request: Any) -> dict[str, Any]:
        return self._answer("PutItem", request, self._put)

    def delete_item(self, **request: Any) -> dict[str, Any]:
        return self._answer("DeleteItem", request, self._delete)

    def transact_write_items(self, **request: Any) -> dict[str, Any]:
        return self._answer("TransactWriteItems", request, self._transact)

    def _answer(self, operation: str, request: Mapping[str, Any], do: Callable[..., dict[str, Any]]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = self._deliver(operation, request, lambda: do(request))
        except ClientError:
            self._tell_time()
            raise
        self._tell_time()
        return answer

    def _tell_time(self) -> None:
        """Gives the client a reply's `Date`."""
        headers = {"date": formatdate(int(self._tables.now), usegmt=True)}
        for listener in self._listeners:
            listener(parsed={"ResponseMetadata": {"HTTPHeaders": headers}})

    def _put(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._tables.set(request["TableName"], request["Item"], request["Item"])
        return {}

    def _delete(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._tables.set(request["TableName"], request["Key"], {})
        return {}

    def _got(self, request: Mapping[str, Any]) -> dict[str, Any]:
        item = self._tables.get(request["TableName"], request["Key"])
        return {"Item": dict(item)} if item else {}

    def _found(self, request: Mapping[str, Any]) -> dict[str, Any]:
        values = request["ExpressionAttributeValues"]
        partition = self._tables.partitions[request["TableName"], values[":conversation"]["S"]]
        first, last = values[":first"]["S"], values[":last"]["S"]
        start = request.get("ExclusiveStartKey", {}).get("entry", {}).get("S")
        forward = request["ScanIndexForward"]
        entries = [entry for entry in sorted(partition, reverse=not forward) if first <= entry <= last]
        if start is not None:
            entries = [entry for entry in entries if (entry > start if forward else entry < start)]
        limit = request.get("Limit", len(entries))
        page = {"Items": [dict(partition[entry]) for entry in entries[:limit]]}
        return page | ({"LastEvaluatedKey": page["Items"][-1]} if len(entries) > limit else {})

    def _transact(self, request: Mapping[str, Any]) -> dict[str, Any]:
        tables, token = self._tables, request["ClientRequestToken"]
        if tables.now - tables.tokens.get(token, float("-inf")) < TOKEN_SECONDS:
            return {}
        actions = [next(iter(action.items())) for action in request["TransactItems"]]
        keys = [_key(kind, it) for kind, it in actions]
        if len(set(keys)) < len(keys):
            raise _error("ValidationException")  # "Transaction request cannot include multiple operations on one item"
        old = [tables.get(it["TableName"], it.get("Key") or it["Item"]) for _, it in actions]
        reasons = [_reason(it, item) for (_, it), item in zip(actions, old, strict=True)]
        if any(reason["Code"] != "None" for reason in reasons):
            raise _error("TransactionCanceledException", reasons)
        for (kind, it), item in zip(actions, old, strict=True):
            if kind != "ConditionCheck":
                tables.set(it["TableName"], it.get("Key") or it["Item"], _written(kind, it, item))
        tables.tokens[token] = tables.now
        return {}


def cancelled(code: str) -> ClientError:
    """A transaction that was not done, for this reason."""
    return _error("TransactionCanceledException", [{"Code": code}])


def throttled() -> ClientError:
    """A request that was not done."""
    return _error("ThrottlingException")


def _error(code: str, reasons: list[dict[str, Any]] | None = None) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": ""}, "ResponseMetadata": {"HTTPStatusCode": 400}}
    if reasons is not None:
        response["CancellationReasons"] = reasons
    return ClientError(response, "TransactWriteItems")


def _key(kind: str, action: Mapping[str, Any]) -> tuple[str, str, str]:
    key = action["Item"] if kind == "Put" else action["Key"]
    return action["TableName"], key["conversation"]["S"], key["entry"]["S"]


def _reason(action: Mapping[str, Any], item: Item) -> dict[str, Any]:
    if "ConditionExpression" not in action or _holds(action, item):
        return {"Code": "None"}
    reason: dict[str, Any] = {"Code": "ConditionalCheckFailed"}
    if action.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and item:
        reason["Item"] = dict(item)
    return reason


def _holds(action: Mapping[str, Any], item: Item) -> bool:
    names, values = action["ExpressionAttributeNames"], action.get("ExpressionAttributeValues", {})

    def has(name: str) -> bool:
        return names[name] in item

    def compare(name: str, sign: str, value: str) -> bool:
        stored = item.get(names[name])
        return stored is not None and _OPERATORS[sign](_plain(stored), _plain(values[value]))

    return bool(eval(_compiled(action["ConditionExpression"]), {"has": has, "compare": compare}))


@lru_cache
def _compiled(condition: str) -> CodeType:
    """A ConditionExpression as Python. AND binds closer than OR in both."""
    text = re.sub(r"attribute_exists\((#\w+)\)", r"has('\1')", condition)
    text = re.sub(r"attribute_not_exists\((#\w+)\)", r"(not has('\1'))", text)
    text = re.sub(r"(#\w+) (<=|>=|=|<|>) (:\w+)", r"compare('\1', '\2', '\3')", text)
    return compile(text.replace(" AND ", " and ").replace(" OR ", " or "), "condition", "eval")


def _written(kind: str, action: Mapping[str, Any], old: Item) -> Item:
    if kind == "Put":
        return dict(action["Item"])
    if kind == "Delete":
        return {}
    names, values = action["ExpressionAttributeNames"], action["ExpressionAttributeValues"]
    sets, _, adds = action["UpdateExpression"].removeprefix("SET ").partition(" ADD ")
    new = {**action["Key"], **old}
    for name, value in re.findall(r"(#\w+) = (:\w+)", sets):
        new[names[name]] = values[value]
    for name, value in re.findall(r"(#\w+) (:\w+)", adds):
        number = int(old.get(names[name], {"N": "0"})["N"]) + int(values[value]["N"])
        new[names[name]] = {"N": str(number)}
    return new


def _plain(value: Mapping[str, Any]) -> Any:
    return int(value["N"]) if "N" in value else next(iter(value.values()))
