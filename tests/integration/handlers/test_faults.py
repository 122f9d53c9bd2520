"""DynamoDB fails, or the deployment is wrong: the functions answer 409, 429 or 503."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from messagelog.dynamodb.keys import message_entry

from tests.support import faulty
from tests.support.faulty import Faulty, LostReply, LostRequest, Outcome, Unreachable
from tests.support.http_api import (
    APPENDS,
    OPERATIONS,
    READS,
    HttpApi,
    client_of_functions,
    empty,
    functions_on_moto,
    new_process,
    try_once,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

REQUEST_OF = dict.fromkeys(READS, "Query") | {"count": "GetItem"} | dict.fromkeys(APPENDS, "TransactWriteItems")


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


@pytest.fixture
def dynamodb(api: HttpApi) -> Iterator[Faulty]:
    """Breaks the functions' requests to DynamoDB as a test asks for."""
    new_process()
    yield Faulty(client_of_functions())
    new_process()


@pytest.fixture
def broken(dynamodb: Faulty, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Outcome], None]:
    """`broken(operation, fault)`: the request that this operation is about fails, again and again."""

    def breaks(operation: str, fault: Outcome) -> None:
        try_once(monkeypatch)
        dynamodb.script(REQUEST_OF[operation], repeat(fault))

    return breaks


def retry_after(seconds: str | None) -> bool:
    return seconds is not None and int(seconds) >= 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_throttling_is_429_with_a_time_to_wait(api: HttpApi, broken: Any, operation: str) -> None:
    broken(operation, faulty.throttled())
    reply = api.send(operation)
    assert reply.status == 429
    assert retry_after(reply.headers["retry-after"])
    assert "outcome" not in reply.json


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", [Unreachable(), faulty.refused("AccessDeniedException")], ids=["down", "refused"])
def test_an_error_before_any_write_is_503_with_a_time_to_wait(
    api: HttpApi, broken: Any, operation: str, fault: Outcome
) -> None:
    broken(operation, fault)
    reply = api.send(operation)
    assert reply.status == 503
    assert retry_after(reply.headers["retry-after"])
    assert "outcome" not in reply.json


@pytest.mark.parametrize("operation", APPENDS)
@pytest.mark.parametrize(
    "fault",
    [LostRequest(), faulty.server_error(), faulty.server_error(503)],
    ids=["request", "500", "503"],
)
def test_an_unknown_outcome_is_503_without_retry_after(
    api: HttpApi, broken: Any, operation: str, fault: Outcome
) -> None:
    """A client that sends the request again on its own could store the message twice."""
    broken(operation, fault)
    reply = api.send(operation)
    assert (reply.status, reply.json["outcome"]) == (503, "unknown")
    assert "retry-after" not in reply.headers


@pytest.mark.parametrize("operation", APPENDS)
def test_an_append_finds_its_own_row_after_lost_replies(api: HttpApi, broken: Any, operation: str) -> None:
    broken(operation, LostReply())
    reply = api.send(operation)
    assert (reply.status, reply.json["seq"]) == (201, api.get("count").json["count"])


@pytest.mark.parametrize("operation", READS)
def test_a_read_has_no_unknown_outcome(api: HttpApi, broken: Any, operation: str) -> None:
    broken(operation, faulty.server_error())
    reply = api.send(operation)
    assert reply.status == 503
    assert retry_after(reply.headers["retry-after"])
    assert "outcome" not in reply.json


@pytest.mark.parametrize("operation", APPENDS)
@pytest.mark.parametrize("code", ["TransactionConflict", "ConditionalCheckFailed"])
def test_other_writers_that_kept_winning_are_a_conflict(api: HttpApi, broken: Any, operation: str, code: str) -> None:
    broken(operation, faulty.cancelled(code, "None"))
    reply = api.send(operation)
    assert reply.status == 409
    assert "retry-after" not in reply.headers


@pytest.mark.parametrize("operation", APPENDS)
def test_a_fault_that_passes_is_not_seen(api: HttpApi, dynamodb: Faulty, operation: str) -> None:
    script = [faulty.throttled(), LostRequest(), faulty.cancelled("TransactionConflict", "None")]
    dynamodb.script("TransactWriteItems", script)
    assert api.send(operation).status == 201


def test_a_hole_in_the_table_is_the_stacks_own_affair(
    api: HttpApi, table: DynamoDBClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content in "abc":
        api.post("append", {"role": "user", "content": content})
    entry = {"conversation": {"S": api.conversation}, "entry": {"S": message_entry(2)}}
    table.delete_item(TableName="MessageTable", Key=entry)
    try_once(monkeypatch)
    reply = api.get("all")
    assert (reply.status, "missing" in reply.json["detail"]) == (503, False)
    assert retry_after(reply.headers["retry-after"])


def test_a_read_that_ran_out_of_time_says_what_to_do(api: HttpApi) -> None:
    api.context = SimpleNamespace(get_remaining_time_in_millis=lambda: 0)
    reply = api.get("all")
    assert (reply.status, "in parts" in reply.json["detail"]) == (503, True)


def test_a_fault_in_a_read_leaves_no_part_of_a_reply(
    api: HttpApi, dynamodb: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of a Query ends at 1 MB."""
    contents = [Random(seed).randbytes(180_000).hex() for seed in range(8)]  # does not compress to less than that
    for content in contents:
        api.post("append", {"role": "user", "content": content})
    try_once(monkeypatch)
    dynamodb.script("Query", [faulty.Ok(), faulty.throttled()])
    assert api.get("all").status == 429
    assert api.contents() == contents


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", [None, ""])
def test_a_missing_setting_is_the_stacks_own_affair(
    api: HttpApi, monkeypatch: pytest.MonkeyPatch, operation: str, name: str | None
) -> None:
    if name is None:
        monkeypatch.delenv("MESSAGELOG_TABLE")
    else:
        monkeypatch.setenv("MESSAGELOG_TABLE", name)
    reply = api.send(operation)
    assert reply.status == 503
    assert "MESSAGELOG_TABLE" not in reply.body.decode()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_missing_table_is_the_stacks_own_affair(
    api: HttpApi, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    monkeypatch.setenv("MESSAGELOG_TABLE", "nobody-made-it")
    reply = api.send(operation)
    assert reply.status == 503
    for word in ("nobody-made-it", "ResourceNotFound", "DynamoDB"):
        assert word not in reply.body.decode()
