"""Invalid events, paths and queries: the functions answer 400 or 404. Messages that are too large: 413."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.http_api import OPERATIONS, HttpApi, Received, empty, functions_on_moto, handler_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# API Gateway's REST APIs and HTTP APIs with payload 1.0 send this form:
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
PAYLOAD_1_0: dict[str, Any] = {
    "version": "1.0",
    "resource": "/conversations/{conversation}/messages",
    "path": "/conversations/a/messages",
    "httpMethod": "POST",
    "headers": None,
    "multiValueHeaders": None,
    "queryStringParameters": None,
    "multiValueQueryStringParameters": None,
    "pathParameters": {"conversation": "a"},
    "stageVariables": None,
    "requestContext": {"stage": "prod", "httpMethod": "POST"},
    "body": '{"role": "user", "content": "Hi"}',
    "isBase64Encoded": False,
}
NOT_NUMBERS = [
    *"a٣²",
    "",
    " ",
    "-1",
    "-0",
    "+1",
    "1.5",
    "1e3",
    "1_0",
    " 2",
    "2 ",
    "2\n",
    "0x1",
    "1,2",
    "1" * 13,
    "1" * 5_000,
]
NUMBERS = [("all", "after"), ("all", "limit"), ("last", "n")]


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("event", [PAYLOAD_1_0, {}, [], None, "POST", {"routeKey": None}], ids=type)
def test_an_event_of_another_kind_is_not_found(table: DynamoDBClient, operation: str, event: Any) -> None:
    assert Received.of(handler_of(operation)(event, None)).status == 404


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_function_answers_its_own_route_only(api: HttpApi, event: Any, operation: str) -> None:
    """Other methods on its path too."""
    own = event(operation)["routeKey"]
    routes = {event(other)["routeKey"] for other in OPERATIONS} | {"$default", "ANY /{proxy+}", own.lower(), f"{own}/"}
    _, _, path = own.partition(" ")
    routes |= {f"{other} {path}" for other in ("DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "GET", "POST")}
    for route in routes - {own}:
        assert api.send(operation, routeKey=route).status == 404
    assert api.get("count").json == {"count": 0}


@pytest.mark.parametrize("role", ["owner", "User", "user ", " user", "users", "", "developer", "used\0", "ｕser"])
def test_an_unknown_role_in_the_path_is_not_found(api: HttpApi, role: str) -> None:
    reply = api.post("add", {"content": "Hi"}, role=role)
    assert reply.status == 404
    assert "user" in reply.json["detail"], "it says which roles there are"
    assert api.get("count").json == {"count": 0}


@pytest.mark.parametrize(("operation", "name"), NUMBERS)
def test_a_number_is_digits_given_once(api: HttpApi, operation: str, name: str) -> None:
    """API Gateway joins a parameter given twice with a comma."""
    for text in NOT_NUMBERS:
        reply = api.get(operation, **{name: text})
        assert (reply.status, reply.paths) == (400, [name])


def test_a_limit_of_none_at_all_is_refused(api: HttpApi) -> None:
    reply = api.get("all", limit=0)
    assert (reply.status, reply.paths) == (400, ["limit"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_unknown_query_parameter_is_refused(api: HttpApi, operation: str) -> None:
    """A misspelt one would be ignored silently."""
    for name in ("limits", "Limit", "N", "offset", "consistent", "", "é\0", "__proto__"):
        reply = api.send(operation, queryStringParameters={name: "1"})
        assert (reply.status, reply.paths) == (400, [name])
    assert api.get("count").json == {"count": 0}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_conversation_is_printable_text_of_256_bytes(api: HttpApi, operation: str) -> None:
    for conversation in (".", "..", "", "x" * 257, "é" * 129, "a\nb", "a\0", "\x7f", "a\u2028b", "\ud800", None):
        reply = api.send(operation, pathParameters={"conversation": conversation, "role": "user"})
        assert (reply.status, reply.paths) == (400, ["conversation"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_without_a_conversation_there_is_nothing_to_work_on(api: HttpApi, operation: str) -> None:
    for path in (None, {}, {"id": "a"}):
        assert api.send(operation, pathParameters=path).status in (400, 404)


def test_a_batch_with_a_message_too_large_for_a_reply_is_refused(api: HttpApi) -> None:
    """It would block every reader of the messages after it."""
    user = {"role": "user", "content": "Hi"}
    large = {"role": "user", "content": "x" * 4_720_000}
    for operation, body in {"append": large, "add": {"content": large["content"]}}.items():
        reply = api.post(operation, body)
        assert reply.status == 413
        assert "one reply carries at most" in reply.json["detail"]
    assert api.post("append_many", {"messages": [user, large, user]}).status == 413
    assert api.get("count").json == {"count": 0}


def test_a_large_message_and_a_large_batch_are_stored_whole(api: HttpApi) -> None:
    large = {"role": "user", "content": "x" * 4_000_000}
    batch = [{"role": "user", "content": str(number)} for number in range(250)]
    assert api.post("append", large).json == {"seq": 1}
    assert api.post("append_many", {"messages": batch}).json == {"seq": 251}
    assert api.contents() == [message["content"] for message in (large, *batch)]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_field_of_an_event_has_to_be_there(api: HttpApi, event: Any, operation: str) -> None:
    for name in event(operation):
        without = {key: value for key, value in event(operation).items() if key != name}
        for changed in (without, without | {name: None}):
            reply = Received.of(handler_of(operation)(changed, None))
            assert reply.status in (200, 201, 400, 404), name


def test_the_context_does_not_have_to_be_one(api: HttpApi) -> None:
    for api.context in (None, object()):
        assert api.post("append", json.dumps({"role": "user", "content": "Hi"})).status == 201
        assert api.get("count").status == 200
