"""The time of the log divided by the time of the SDK calls that it needs.

Both are timed in pairs in one process, so that a busy machine slows both.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from messagelog import MessageLog, StoredMessage, codec
from messagelog.dynamodb import DynamoDBStorage, items
from messagelog.dynamodb.limits import with_small_content
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai

from benchmarks import workload

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


_VIEWS: dict[str, Callable[[list[StoredMessage]], object]] = {
    "OpenAI": to_openai,
    "Anthropic": to_anthropic,
    "Bedrock": to_bedrock,
    "LangChain": to_langchain,
}


@dataclass(frozen=True)
class Ratio:
    """One time divided by another: the median of some pairs, and the quartiles."""

    what: str
    median: float
    low: float
    high: float
    pairs: int


def measure(client: DynamoDBClient, table: str, *, length: int, pairs: int) -> Iterator[Ratio]:
    """Yield all ratios, for a conversation of `length` messages in a table of the log."""
    log = MessageLog(DynamoDBStorage("speed", table=table, client=client))
    yield _ratio(
        "`append` over `transact_write_items`",
        [_append_pair(log, client, table, number) for number in range(pairs * 20)],
        group=20,
    )
    long = MessageLog(DynamoDBStorage("long", table=table, client=client))
    for start in range(0, length, 50):
        long.append_many(workload.messages(50, start=start))
    yield _ratio(
        f"`all()` of {length:,} over a paged `query`",
        [_pair(number, long.all, lambda: _paged_query(client, table)) for number in range(pairs)],
    )
    yield from _views(long, length, pairs)


def _views(log: MessageLog, length: int, pairs: int) -> Iterator[Ratio]:
    """Yield the ratio of each view to a read in the same round."""
    messages = log.all()
    timed: dict[str, list[tuple[float, float]]] = {name: [] for name in _VIEWS}
    for _ in range(pairs):
        reading = _seconds(log.all)
        for name, view in _VIEWS.items():
            timed[name].append((_seconds(partial(view, messages)), reading))
    for name, times in timed.items():
        yield _ratio(f"{name} view of {length:,} over reading them", times)


def _append_pair(log: MessageLog, client: DynamoDBClient, table: str, number: int) -> tuple[float, float]:
    """Time an append, and the same transaction sent directly to another conversation."""
    message = workload.messages(1, start=number)[0]
    transaction = _transaction(table, number, message)
    return _pair(number, lambda: log.append(message), lambda: client.transact_write_items(**transaction))


def _transaction(table: str, count: int, message: dict[str, Any]) -> dict[str, Any]:
    """Return the request that the log sends for this message, for another conversation."""
    key = {"conversation": {"S": "bare"}, "entry": {"S": f"msg#{count + 1:012d}"}}
    values = {":new": {"N": str(count + 1)}}
    if count:
        values[":expected"] = {"N": str(count)}
    head = {
        "TableName": table,
        "Key": {"conversation": {"S": "bare"}, "entry": {"S": "head"}},
        "UpdateExpression": "SET #count = :new",
        "ConditionExpression": "#count = :expected" if count else "attribute_not_exists(#count)",
        "ExpressionAttributeNames": {"#count": "count"},
        "ExpressionAttributeValues": values,
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    put = {
        "TableName": table,
        "Item": with_small_content({**key, **items.to_item(codec.parse(message), datetime.now(UTC))}),
        "ConditionExpression": "attribute_not_exists(#entry)",
        "ExpressionAttributeNames": {"#entry": "entry"},
    }
    return {"TransactItems": [{"Update": head}, {"Put": put}], "ClientRequestToken": str(uuid4())}


def _paged_query(client: DynamoDBClient, table: str) -> list[Any]:
    request: dict[str, Any] = {
        "TableName": table,
        "KeyConditionExpression": "#c = :c AND #e BETWEEN :first AND :last",
        "ExpressionAttributeNames": {"#c": "conversation", "#e": "entry"},
        "ExpressionAttributeValues": {
            ":c": {"S": "long"},
            ":first": {"S": "msg#000000000001"},
            ":last": {"S": "msg#999999999999"},
        },
        "ConsistentRead": True,
    }
    items: list[Any] = []
    while True:
        page = client.query(**request)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _pair(number: int, ours: Callable[[], object], bare: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of both. They take turns in going first."""
    if number % 2:
        other = _seconds(bare)
        return _seconds(ours), other
    return _seconds(ours), _seconds(bare)


def _seconds(run: Callable[[], object]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def _ratio(what: str, timed: list[tuple[float, float]], *, group: int = 1) -> Ratio:
    """Return the ratio of sums over groups of this many pairs."""
    groups = [timed[at : at + group] for at in range(0, len(timed), group)]
    ratios = [sum(ours for ours, _ in pairs) / sum(bare for _, bare in pairs) for pairs in groups]
    low, median, high = statistics.quantiles(ratios, n=4)
    return Ratio(what, median, low, high, len(ratios))
