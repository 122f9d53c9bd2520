"""Idempotency-Key and If-Match on every append, and when a client may send a request again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.faulty import Faulty, LostRequest
from tests.support.http_api import (
    APPENDS,
    HttpApi,
    client_of_functions,
    empty,
    functions_on_moto,
    new_process,
    try_once,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def body(operation: str, text: str) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return {"add": {"content": text}, "append": message, "append_many": {"messages": [message, message]}}[operation]


ADDED = {"add": 1, "append": 1, "append_many": 2}
each_append = pytest.mark.parametrize("operation", APPENDS)


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


@each_append
def test_the_same_key_and_content_writes_nothing(api: HttpApi, operation: str) -> None:
    key = {"Idempotency-Key": "k 1"}
    first = api.post(operation, body(operation, "a"), headers=key)
    api.post("append", body("append", "between"))
    again = api.post(operation, body(operation, "a"), headers=key)
    assert (again.status, again.json) == (first.status, first.json) == (201, {"seq": again.json["seq"]})
    assert api.contents() == ["a"] * ADDED[operation] + ["between"]


@each_append
def test_a_replay_does_not_take_its_seq_for_the_count(api: HttpApi, operation: str) -> None:
    key = {"idempotency-key": "k"}
    first = api.post(operation, body(operation, "a"), headers=key)
    assert first.etag == api.get("count").etag
    api.post("append", body("append", "after"))
    again = api.post(operation, body(operation, "a"), headers=key)
    assert (again.json, again.etag) == (first.json, None)


@each_append
def test_the_same_key_with_other_content_is_a_conflict(api: HttpApi, operation: str) -> None:
    key = {"idempotency-key": "k"}
    api.post(operation, body(operation, "a"), headers=key)
    reply = api.post(operation, body(operation, "b"), headers=key)
    assert reply.status == 409
    assert "retry-after" not in reply.headers
    assert api.contents() == ["a"] * ADDED[operation]


def test_a_key_is_one_of_its_conversation(api: HttpApi, event: Any) -> None:
    key = {"idempotency-key": "k"}
    assert api.post("append", body("append", "a"), headers=key).json == {"seq": 1}
    assert HttpApi(event).post("append", body("append", "b"), headers=key).json == {"seq": 1}


@each_append
def test_a_key_has_1_to_255_characters(api: HttpApi, operation: str) -> None:
    for key in ("", "x" * 256):
        reply = api.post(operation, body(operation, "a"), headers={"idempotency-key": key})
        assert (reply.status, reply.paths) == (400, ["idempotency-key"])
    assert api.get("count").json == {"count": 0}
    assert api.post(operation, body(operation, "a"), headers={"idempotency-key": "x" * 255}).status == 201


@each_append
def test_an_etag_matches_the_count_it_came_with(api: HttpApi, operation: str) -> None:
    empty_log = api.get("count").etag
    first = api.post(operation, body(operation, "a"), headers={"if-match": empty_log})
    assert first.status == 201
    assert api.post(operation, body(operation, "b"), headers={"If-Match": first.etag}).status == 201
    assert api.contents() == ["a"] * ADDED[operation] + ["b"] * ADDED[operation]


@each_append
@pytest.mark.parametrize("etag", ['"0"', '"2"', '"999999999999"'])
def test_another_count_fails_with_the_right_one(api: HttpApi, operation: str, etag: str) -> None:
    api.post("append", body("append", "a"))
    reply = api.post(operation, body(operation, "b"), headers={"if-match": etag})
    assert (reply.status, reply.json["count"]) == (412, 1)
    assert api.contents() == ["a"]


def test_an_empty_batch_is_not_a_replay_and_returns_the_count(api: HttpApi) -> None:
    key = {"idempotency-key": "k"}
    for _ in range(2):
        reply = api.post("append_many", {"messages": []}, headers=key)
        assert (reply.json, reply.etag) == ({"seq": 0}, '"0"')
    assert api.post("append", body("append", "a"), headers=key).etag == '"1"'


def test_an_empty_batch_has_a_precondition_too(api: HttpApi) -> None:
    assert api.post("append_many", {"messages": []}, headers={"if-match": '"1"'}).status == 412
    assert api.post("append_many", {"messages": []}, headers={"if-match": '"0"'}).json == {"seq": 0}


@each_append
@pytest.mark.parametrize("etag", ["", "0", "*", 'W/"0"', '"0', '""', '"-1"', '"0", "1"', '"٣"', '"1.0"'], ids=ascii)
def test_another_form_of_if_match_is_refused(api: HttpApi, operation: str, etag: str) -> None:
    """RFC 9110 section 13.1.1: it compares strongly, and a list or `*` would need more than a count."""
    reply = api.post(operation, body(operation, "a"), headers={"if-match": etag})
    assert (reply.status, reply.paths) == (400, ["if-match"])
    assert api.get("count").json == {"count": 0}


@each_append
@pytest.mark.parametrize("headers", [{"Idempotency-Key": "k"}, {"IF-MATCH": '"0"'}], ids=str)
def test_a_safe_retry_after_an_unknown_outcome_has_a_time(
    api: HttpApi, monkeypatch: pytest.MonkeyPatch, operation: str, headers: dict[str, str]
) -> None:
    try_once(monkeypatch)
    new_process()
    Faulty(client_of_functions()).script("TransactWriteItems", repeat(LostRequest()))
    reply = api.post(operation, body(operation, "a"), headers=headers)
    new_process()
    assert (reply.status, reply.json["outcome"]) == (503, "unknown")
    assert int(reply.headers["retry-after"]) >= 1
