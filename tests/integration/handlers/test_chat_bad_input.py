"""The functions of the chat on bad requests, on any input, and when DynamoDB fails: never a 500."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from inspect import getclosurevars
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from local.dynamodb import HOST, free_port
from tests.support import faulty
from tests.support.faulty import Faulty, LostRequest, Ok, Unreachable
from tests.support.http_api import (
    CHAT_OPERATIONS,
    HttpApi,
    client_of_functions,
    empty,
    functions_on_moto,
    handler_of,
    new_process,
    try_once,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

READS = tuple(it for it in CHAT_OPERATIONS if getclosurevars(handler_of(it)).nonlocals["route"].startswith("GET "))
WRITES = tuple(it for it in CHAT_OPERATIONS if it not in READS)

any_text = st.text(st.characters(codec=None))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(any_text, inside, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(["id", "title", "content", "children", "role", "tree", "text", "messagesOnly", "toolCallId"])
components = st.recursive(
    st.dictionaries(names, json_values, max_size=4),
    lambda inside: st.fixed_dictionaries({"id": any_text, "children": st.lists(inside, max_size=3)}),
    max_leaves=6,
)
few = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpApi]:
    """With a model to send to, and a worker that nobody can reach."""
    empty(table)
    new_process()
    variables = {"CHAT_PROVIDER": "bedrock", "CHAT_MODEL": "m", "CHAT_WORKER_FUNCTION": "Worker"}
    for name, value in {**variables, "AWS_ENDPOINT_URL_LAMBDA": f"http://{HOST}:{free_port()}"}.items():
        monkeypatch.setenv(name, value)
    yield HttpApi(event)
    new_process()


def fine(status: int) -> bool:
    return status in (200, 202, 400, 409, 412, 413, 415, 422, 503)


@pytest.mark.parametrize("operation", CHAT_OPERATIONS)
def test_bad_requests_are_refused(api: HttpApi, operation: str) -> None:
    assert api.send(operation, routeKey="GET /somewhere").status == 404
    assert api.send(operation, pathParameters={"conversation": "\n"}).paths == ["conversation"]
    assert api.send(operation, queryStringParameters={"limt": "1"}).paths == ["limt"]


@pytest.mark.parametrize("operation", WRITES)
def test_bad_bodies_are_refused(api: HttpApi, operation: str) -> None:
    assert api.send(operation, headers={"content-type": "text/plain"}, body="Hi").status == 415
    assert api.send(operation, body="{").status == 400
    assert api.send(operation, body='{"content": NaN}').status == 400
    assert api.send(operation, body='{"a":' * 300 + "1" + "}" * 300).status == 400
    assert api.send(operation, body="/w==", isBase64Encoded=True).status == 400
    assert api.send(operation, body='{"content": "a", "content": "b"}').status == 422


@pytest.mark.parametrize(
    ("query", "path"),
    [({"after": "-1"}, "after"), ({"limit": "0"}, "limit"), ({"historic": "yes"}, "historic"), ({"n": "1"}, "n")],
    ids=str,
)
def test_a_bad_query_is_refused(api: HttpApi, query: dict[str, str], path: str) -> None:
    reply = api.send("chat_messages", queryStringParameters=query)
    assert (reply.status, reply.paths) == (400, [path])


@pytest.mark.parametrize("version", ["1", '"x"', "*", 'W/"1"'])
def test_a_version_that_is_none_is_refused(api: HttpApi, version: str) -> None:
    reply = api.post("put_system", {"tree": {"title": "x"}}, headers={"If-Match": version})
    assert (reply.status, reply.paths) == (400, ["if-match"])


@few
@given(operation=st.sampled_from(["enqueue", "put_system", "clear"]), data=st.binary(), base64=st.booleans())
def test_any_bytes_as_a_body(api: HttpApi, operation: str, data: bytes, base64: bool) -> None:
    body = b64encode(data).decode() if base64 else data.decode(errors="replace")
    assert fine(api.send(operation, body=body, isBase64Encoded=base64).status)


@few
@given(operation=st.sampled_from(["enqueue", "put_system", "clear"]), value=json_values | components)
@example(operation="put_system", value={"tree": {"children": [{"id": "a", "children": []}] * 2}})
def test_any_json_as_a_body(api: HttpApi, operation: str, value: Any) -> None:
    assert fine(api.post(operation, json.dumps(value)).status)


@few
@given(tree=components)
@example(tree={"children": [{"id": "\ud800"}]})
@example(tree={"children": [{"id": "tutorials", "title": ""}, {"id": "", "content": " \n "}]})
def test_any_tree_is_refused_or_read_back(api: HttpApi, tree: Any) -> None:
    put = api.post("put_system", json.dumps({"tree": tree}))
    assert put.status in (200, 422)
    if put.status == 200:
        assert api.get("get_system").json == put.json
        assert api.post("put_system", {"tree": put.json["tree"]}).json == put.json


@pytest.mark.parametrize("operation", CHAT_OPERATIONS)
@pytest.mark.parametrize(
    ("fault", "status"),
    [(faulty.throttled(), 429), (Unreachable(), 503), (faulty.refused("AccessDeniedException"), 503)],
    ids=["throttled", "down", "refused"],
)
def test_an_error_before_any_write_says_when_to_try_again(
    api: HttpApi, monkeypatch: pytest.MonkeyPatch, operation: str, fault: Any, status: int
) -> None:
    try_once(monkeypatch)
    Faulty(client_of_functions(), lambda _: fault)
    reply = api.send(operation)
    assert (reply.status, "outcome" in reply.json) == (status, False)
    assert int(reply.headers["retry-after"]) >= 1


@pytest.mark.parametrize("operation", WRITES)
@pytest.mark.parametrize("fault", [LostRequest(), faulty.server_error()], ids=["request", "500"])
def test_an_unknown_outcome_is_said(api: HttpApi, monkeypatch: pytest.MonkeyPatch, operation: str, fault: Any) -> None:
    try_once(monkeypatch)
    lease = [Ok()] if operation == "send" else []
    Faulty(client_of_functions()).script("TransactWriteItems", chain(lease, repeat(fault)))
    reply = api.send(operation)
    assert (reply.status, reply.json["outcome"], "retry-after" in reply.headers) == (503, "unknown", False)


def test_an_unknown_lease_is_not_an_unknown_outcome(api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    try_once(monkeypatch)
    Faulty(client_of_functions()).script("TransactWriteItems", repeat(LostRequest()))
    reply = api.send("send")
    assert (reply.status, "outcome" in reply.json, "retry-after" in reply.headers) == (503, False, True)


def test_a_put_under_a_version_can_be_sent_again(api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    try_once(monkeypatch)
    Faulty(client_of_functions()).script("TransactWriteItems", repeat(LostRequest()))
    reply = api.post("put_system", {"tree": {"title": "x"}}, headers={"If-Match": '"0"'})
    assert (reply.status, reply.json["outcome"], "retry-after" in reply.headers) == (503, "unknown", True)


@pytest.mark.parametrize(
    ("operation", "variable"),
    [("send", "CHAT_WORKER_FUNCTION"), *((operation, "MESSAGELOG_CHAT_TABLE") for operation in CHAT_OPERATIONS)],
)
def test_a_missing_setting_is_the_stacks_own_affair(
    api: HttpApi, monkeypatch: pytest.MonkeyPatch, operation: str, variable: str
) -> None:
    monkeypatch.setenv(variable, "")
    reply = api.send(operation)
    assert reply.status == 503
    assert variable not in reply.body.decode()
