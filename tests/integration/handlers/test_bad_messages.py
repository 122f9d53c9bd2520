"""JSON that cannot be stored as a message: the functions answer 422 with the path of the fault, and write nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.http_api import APPENDS, HttpApi, empty, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A message as JSON text, and where it is at fault; the args of a call stand for `…`.
FAULTS = [
    ("null", ""),
    ("[]", ""),
    ('"Hi"', ""),
    ("1e999", ""),
    ("{}", "role"),
    ('{"content": "Hi"}', "role"),
    ('{"role": "user"}', "content"),
    ('{"role": null, "content": "Hi"}', "role"),
    ('{"role": "owner", "content": "Hi"}', "role"),
    ('{"role": "User", "content": "Hi"}', "role"),
    ('{"role": ["user"], "content": "Hi"}', "role"),
    ('{"role": "user", "content": null}', "content"),
    ('{"role": "user", "content": 1}', "content"),
    ('{"role": "user", "content": [{"type": "text", "text": "Hi"}]}', "content"),
    ('{"role": "user", "content": "\\ud800"}', "content"),
    ('{"role": "user", "content": "Hi", "name": 1}', "name"),
    ('{"role": "user", "content": "Hi", "name": "\\udfff"}', "name"),
    ('{"role": "tool", "content": "Hi", "toolCallId": {}}', "toolCallId"),
    ('{"role": "user", "content": "Hi", "origin": "moon"}', "origin"),
    ('{"role": "user", "content": "Hi", "tool_calls": []}', "tool_calls"),
    ('{"role": "user", "content": "Hi", "mood": null}', "mood"),
    ('{"role": "user", "content": "Hi", "a b": 1}', '["a b"]'),
    ('{"role": "user", "content": "Hi", "\\ud800": 1}', '["\\ud800"]'),
    ('{"role": "user", "content": "Hi", "": 1}', '[""]'),
    ('{"role": "user", "content": "a", "content": "b"}', "content"),
    ('{"role": "user", "role": "user", "content": "Hi"}', "role"),
    ('{"role": "assistant", "content": "", "toolCalls": {}}', "toolCalls"),
    ('{"role": "assistant", "content": "", "toolCalls": "f()"}', "toolCalls"),
    ('{"role": "assistant", "content": "", "toolCalls": [null]}', "toolCalls[0]"),
    ('{"role": "assistant", "content": "", "toolCalls": [{"name": "f", "args": {}}]}', "toolCalls[0].id"),
    ('{"role": "assistant", "content": "", "toolCalls": [{"id": "1", "args": {}}]}', "toolCalls[0].name"),
    ('{"role": "assistant", "content": "", "toolCalls": [{"id": "1", "name": "f"}]}', "toolCalls[0].args"),
    ('{"role": "assistant", "content": "", "toolCalls": [{"id": 1, "name": "f", "args": {}}]}', "toolCalls[0].id"),
]
FAULTY_ARGS = [
    ('{"a": 1, "a": 1}', ".a"),
    ('{"b": [0, {"a": 1, "\\u0061": 2}]}', ".b[1].a"),
    ('{"n": 1e999}', ".n"),
    ("[-1e999]", "[0]"),
    ("1" * 5_000, ""),
    ('{"n": -' + "9" * 4_301 + "}", ".n"),
    ('{"n": 1' + "0" * 5_000 + ".0}", ".n"),
    ('{"a": {"b c": ["\\ud83d"]}}', '.a["b c"][0]'),
    ('{"\\udc00": 1}', ""),
]


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def refuses(api: HttpApi, operation: str, body: str, path: str) -> bool:
    reply = api.post(operation, body)
    assert api.get("count").json == {"count": 0}
    (fault,) = reply.json["errors"]
    assert reply.json["detail"] == (f"{path}: {fault['detail']}" if path else fault["detail"])
    return (reply.status, fault["path"]) == (422, path)


@pytest.mark.parametrize(("message", "path"), FAULTS)
def test_the_path_tells_where_a_message_is_at_fault(api: HttpApi, message: str, path: str) -> None:
    assert refuses(api, "append", message, path)


@pytest.mark.parametrize(("message", "path"), FAULTS)
def test_the_path_tells_which_message_of_a_batch_it_is(api: HttpApi, message: str, path: str) -> None:
    good = '{"role": "user", "content": "Hi"}'
    path = f"messages[3]{'.' if path and path[0] != '[' else ''}{path}"
    assert refuses(api, "append_many", f'{{"messages": [{good}, {good}, {good}, {message}, {good}]}}', path)


@pytest.mark.parametrize(("args", "path"), FAULTY_ARGS, ids=lambda text: ascii(text[:30]))
def test_the_path_leads_into_the_args(api: HttpApi, args: str, path: str) -> None:
    good, bad = '{"id": "1", "name": "f", "args": {}}', f'{{"id": "2", "name": "g", "args": {args}}}'
    message = f'{{"role": "assistant", "content": "", "toolCalls": [{good}, {bad}]}}'
    assert refuses(api, "append", message, f"toolCalls[1].args{path}")
    assert refuses(api, "append_many", f'{{"messages": [{message}]}}', f"messages[0].toolCalls[1].args{path}")


def test_numbers_at_the_edge_are_stored_exactly(api: HttpApi) -> None:
    args = f'{{"n":[{"9" * 4_300},-{"9" * 4_300},1.7976931348623157e+308,5e-324,-0.0,-0,1.0,1]}}'
    body = f'{{"role": "assistant", "content": "", "toolCalls": [{{"id": "1", "name": "f", "args": {args}}}]}}'
    assert api.post("append", body).status == 201
    assert args.replace("-0,", "0,") in api.get("all").body.decode()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("null", ""),
        ("[]", ""),
        ('"Hi"', ""),
        ("{}", "content"),
        ('{"content": null}', "content"),
        ('{"content": ["Hi"]}', "content"),
        ('{"content": "\\ud800"}', "content"),
        ('{"content": "a", "content": "b"}', "content"),
        ('{"content": "Hi", "role": "user"}', "role"),
        ('{"content": "Hi", "name": "Ann"}', "name"),
    ],
)
def test_add_takes_an_object_with_just_a_content(api: HttpApi, body: str, path: str) -> None:
    assert refuses(api, "add", body, path)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("null", ""),
        ("[]", ""),
        ('[{"role": "user", "content": "Hi"}]', ""),
        ("{}", "messages"),
        ('{"messages": null}', "messages"),
        ('{"messages": {}}', "messages"),
        ('{"messages": "Hi"}', "messages"),
        ('{"messages": [[]]}', "messages[0]"),
        ('{"messages": [], "messages": []}', "messages"),
        ('{"messages": [], "more": true}', "more"),
    ],
)
def test_append_many_takes_an_object_with_just_messages(api: HttpApi, body: str, path: str) -> None:
    assert refuses(api, "append_many", body, path)


@pytest.mark.parametrize("operation", APPENDS)
def test_a_path_stays_short(api: HttpApi, operation: str) -> None:
    """A key can be as long as the body."""
    reply = api.post(operation, json.dumps({"x" * 100_000: 1}))
    assert reply.status == 422
    assert len(reply.body) < 1_000
