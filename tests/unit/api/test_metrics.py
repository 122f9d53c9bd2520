"""The metrics of an operation in CloudWatch: what the storage did, for the operation and for the whole stack."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import faulty
from tests.support.faulty import Faulty, LostRequest, Outcome
from tests.support.http_api import HttpApi, client_of_functions, empty, functions_on_moto, new_process, try_once

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MESSAGE = {"role": "user", "content": "x" * 100}
MOVED = faulty.cancelled("ConditionalCheckFailed", "None", item={"count": {"N": "0"}})


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any, monkeypatch: pytest.MonkeyPatch) -> HttpApi:
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED", raising=False)
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "a-stack")
    empty(table)
    new_process()
    return HttpApi(event)


@pytest.fixture
def told(capfd: pytest.CaptureFixture[str]) -> Callable[[], list[dict[str, Any]]]:
    """The metrics written since it was last asked, in the embedded metric format."""
    return lambda: [json.loads(line) for line in capfd.readouterr().out.splitlines() if '"_aws"' in line]


def numbers(line: dict[str, Any]) -> dict[str, float]:
    return {name: value[0] for name, value in line.items() if isinstance(value, list)}


def break_next(outcome: Outcome) -> None:
    """Sets the outcome of the next transaction. Later transactions succeed."""
    Faulty(client_of_functions()).script("TransactWriteItems", [outcome])


def test_an_append_counts_for_its_operation_and_the_stack(api: HttpApi, told: Callable[[], Any]) -> None:
    api.post("append", MESSAGE)
    (line,) = told()
    assert (line["operation"], line["service"]) == ("append", "a-stack")
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "MessageLog"
    assert sorted(map(sorted, directive["Dimensions"])) == [["operation", "service"], ["service"]]
    assert {metric["Name"]: metric["Unit"] for metric in directive["Metrics"]} == {
        "Appends": "Count",
        "Messages": "Count",
        "Bytes": "Bytes",
    }
    assert (line["Appends"], line["Messages"]) == ([1], [1])
    assert 100 < line["Bytes"][0] < 300


def test_a_batch_counts_each_message_and_a_segment_its_parts(api: HttpApi, told: Callable[[], Any]) -> None:
    api.post("append_many", {"messages": [MESSAGE] * 3})
    api.post("append_many", {"messages": [MESSAGE] * 200})
    small, large = map(numbers, told())
    assert (small["Appends"], small["Messages"]) == (1, 3)
    assert (large["Appends"], large["Messages"]) == (1, 200)
    assert small["Bytes"] > 300
    assert large["Bytes"] > 0


def test_an_operation_without_a_write_has_no_metrics(api: HttpApi, told: Callable[[], Any]) -> None:
    assert api.get("count").status == 200
    assert api.get("all").status == 200
    assert api.post("append", {"role": "nobody", "content": ""}).status == 422
    assert told() == []


def test_a_replay_does_not_count_as_an_append(api: HttpApi, told: Callable[[], Any]) -> None:
    for _ in range(2):
        assert api.post("append", MESSAGE, headers={"idempotency-key": "k"}).status == 201
    assert len(told()) == 1


@pytest.mark.parametrize("outcome", [MOVED, faulty.cancelled("TransactionConflict", "None")], ids=["moved", "conflict"])
def test_a_lost_race_is_a_conflict_and_a_retry(api: HttpApi, told: Callable[[], Any], outcome: Outcome) -> None:
    break_next(outcome)
    assert api.post("append", MESSAGE).status == 201
    counted = numbers(told()[0])
    assert (counted["Conflicts"], counted["Retries"], counted["Appends"]) == (1, 1, 1)


def test_a_throttled_request_is_a_retry_and_no_conflict(api: HttpApi, told: Callable[[], Any]) -> None:
    break_next(faulty.throttled())
    assert api.post("append", MESSAGE).status == 201
    counted = numbers(told()[0])
    assert counted["Retries"] == 1
    assert "Conflicts" not in counted


def test_an_unknown_outcome_is_told_once(
    api: HttpApi, told: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    break_next(LostRequest())
    try_once(monkeypatch)
    assert api.post("append", MESSAGE).status == 503
    (line,) = told()
    assert numbers(line) == {"UnknownOutcomes": 1}
