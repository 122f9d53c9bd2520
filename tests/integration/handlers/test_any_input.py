"""No input gives a 500: any bytes as a body, any text in the path, the query and the headers, any JSON as an event."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from messagelog.api import VIEW_QUERY

from tests.support.http_api import APPENDS, OPERATIONS, READS, HttpApi, Received, empty, functions_on_moto, handler_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A text as events can hold it: JSON's escapes reach lone surrogates too.
any_text = st.text(st.characters(codec=None))
nothing_or = st.none() | any_text
media_types = st.sampled_from([None, "application/json", "text/plain"]) | any_text
parts_of_json = [*'{}[]:,"\\-0 \0', "\\ud800", "1e999", ".5", "NaN", "null"]
parts_of_messages = ['"role"', '"user"', '"content"', '"messages"', '"toolCalls"', '"args"', '"id"', '"name"', '"é😀"']
nearly_json = st.lists(st.sampled_from(parts_of_json + parts_of_messages)).map("".join)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from(
    ["headers", "pathParameters", "queryStringParameters", "body", "isBase64Encoded", "requestContext", "routeKey"]
)
queries = st.dictionaries(st.sampled_from(["after", "limit", "n", *VIEW_QUERY]) | any_text, any_text, max_size=3)
# moto's table grows with every example, and with it the time that a request takes.
few = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    api = HttpApi(event)
    api.post("append", {"role": "user", "content": "Hi"})
    return api


def fine(status: int) -> bool:
    return status in (200, 201, 400, 404, 409, 412, 413, 415, 422)


@few
@given(operation=st.sampled_from(APPENDS), media_type=media_types, data=st.binary() | nearly_json.map(str.encode))
def test_any_bytes_as_a_body(api: HttpApi, operation: str, media_type: str | None, data: bytes) -> None:
    body = {"body": b64encode(data).decode(), "isBase64Encoded": True}
    assert fine(api.send(operation, headers={"content-type": media_type}, **body).status)


@few
@given(operation=st.sampled_from(APPENDS), media_type=media_types, body=nothing_or | nearly_json, base64=st.booleans())
def test_any_text_as_a_body(api: HttpApi, operation: str, media_type: str | None, body: str, base64: bool) -> None:
    reply = api.send(operation, headers={"Content-Type": media_type}, body=body, isBase64Encoded=base64)
    assert fine(reply.status)


@few
@given(operation=st.sampled_from(OPERATIONS), query=queries)
@example(operation="to_openai", query=dict.fromkeys(VIEW_QUERY, "0"))
@example(operation="all", query={"after": "999999999999", "limit": "999999999999"})
@example(operation="last", query={"n": "999999999999"})
def test_any_text_as_a_query(api: HttpApi, operation: str, query: dict[str, str]) -> None:
    assert fine(api.send(operation, queryStringParameters=query).status)


@few
@given(operation=st.sampled_from(READS), names=st.lists(st.sampled_from(VIEW_QUERY), unique=True), data=st.data())
def test_any_number_in_a_query_that_is_known(
    api: HttpApi, operation: str, names: list[str], data: st.DataObject
) -> None:
    values = st.sampled_from(["true", "false", "0", "1", "2", "999999999999"])
    query = {name: data.draw(values) for name in names}
    assert fine(api.send(operation, queryStringParameters=query).status)


@few
@given(operation=st.sampled_from(OPERATIONS), conversation=nothing_or, role=nothing_or)
def test_any_text_in_the_path(api: HttpApi, operation: str, conversation: str | None, role: str | None) -> None:
    assert fine(api.send(operation, pathParameters={"conversation": conversation, "role": role}).status)


@few
@given(
    operation=st.sampled_from([*READS, "append"]),
    headers=st.dictionaries(st.sampled_from(["content-type", "if-match", "idempotency-key"]) | any_text, nothing_or),
)
@example(operation="append", headers={"idempotency-key": "\ud800"})
def test_any_text_in_the_headers(api: HttpApi, operation: str, headers: dict[str, str | None]) -> None:
    assert fine(api.send(operation, headers=headers).status)


@few
@given(operation=st.sampled_from(OPERATIONS), event=any_json)
@example(operation="count", event={"pathParameters": ["x"]})
def test_any_json_as_an_event(table: DynamoDBClient, operation: str, event: Any) -> None:
    assert fine(Received.of(handler_of(operation)(event, None)).status)


@few
@given(operation=st.sampled_from(OPERATIONS), changes=st.dictionaries(fields, any_json, min_size=1, max_size=2))
@example(operation="count", changes={"pathParameters": ["x"]})
@example(operation="all", changes={"pathParameters": {"conversation": "a"}, "queryStringParameters": {"limit": 5}})
@example(operation="append", changes={"headers": {"if-match": 1}})
@example(operation="append", changes={"headers": 0})
@example(operation="append", changes={"body": {"role": "user", "content": "Hi"}})
def test_any_json_in_the_fields_of_an_event(api: HttpApi, operation: str, changes: dict[str, Any]) -> None:
    assert fine(api.send(operation, **changes).status)
