"""Requests with a body that cannot be read: the functions answer 400 or 415, and write nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.http_api import APPENDS, HttpApi, empty, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NOT_JSON = [
    "{",
    "[1,]",
    '{"a": 1,}',
    "nul",
    "'a'",
    "hello",
    " ",
    "\0",
    '"\t"',
    '"\\x"',
    '{"a": 01}',
    "+1",
    ".5",
    "{} x",
    "{}{}",
    "{}\0",
    "\ufeff{}",
    "NaN",
    '{"a": NaN}',
    "[Infinity]",
    "[-Infinity]",
    "// {}",
]


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def base64(data: bytes) -> dict[str, Any]:
    return {"body": b64encode(data).decode(), "isBase64Encoded": True}


def nested(levels: int) -> str:
    """A message whose args nest so deep."""
    args = "[" * levels + "]" * levels
    return f'{{"role": "assistant", "content": "", "toolCalls": [{{"id": "1", "name": "f", "args": {args}}}]}}'


@pytest.mark.parametrize("operation", APPENDS)
@pytest.mark.parametrize("change", [{"body": None}, {"body": ""}, {"body": "", "isBase64Encoded": True}], ids=str)
def test_a_body_must_be_there(api: HttpApi, operation: str, change: dict[str, Any]) -> None:
    for headers in (None, {"content-type": "application/json"}):
        assert api.send(operation, **change, headers=headers).status == 400


@pytest.mark.parametrize("body", [None, ""])
def test_an_empty_text_counts_as_a_missing_body(api: HttpApi, body: str | None) -> None:
    """API Gateway's event is the same as for a missing body. An empty content can be sent as JSON."""
    assert api.send("add", body=body, headers={"content-type": "text/plain"}).status == 400


@pytest.mark.parametrize("operation", APPENDS)
def test_a_body_must_be_json(api: HttpApi, operation: str) -> None:
    for body in NOT_JSON:
        assert api.post(operation, body).status == 400, body
        assert api.send(operation, **base64(body.encode())).status == 400, body


@pytest.mark.parametrize("operation", APPENDS)
@pytest.mark.parametrize("body", ["!!!", "e30", "e30=e30=", "e3 0=", "e30=\n", "é", "e30_", "=", "{}"])
def test_a_body_that_says_so_must_be_base64(api: HttpApi, operation: str, body: str) -> None:
    assert api.send(operation, body=body, isBase64Encoded=True).status == 400


@pytest.mark.parametrize("media_type", ["application/json", "text/plain"])
@pytest.mark.parametrize("text", [b"\x80\x80", b"caf\xe9", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"], ids=repr)
def test_a_body_must_be_utf8(api: HttpApi, media_type: str, text: bytes) -> None:
    body = text if media_type == "text/plain" else b'{"content": "' + text + b'"}'
    assert api.send("add", **base64(body), headers={"content-type": media_type}).status == 400
    assert api.get("count").json == {"count": 0}


def test_a_body_in_another_encoding_is_not_guessed(api: HttpApi) -> None:
    """RFC 8259 section 8.1: JSON between systems is UTF-8."""
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-8-sig"):
        assert api.send("add", **base64('{"content": "Hi"}'.encode(encoding))).status == 400


@pytest.mark.parametrize("operation", ["append", "append_many"])
def test_args_nest_up_to_200_levels(api: HttpApi, operation: str) -> None:
    def status(message: str) -> int:
        return api.post(operation, message if operation == "append" else f'{{"messages": [{message}]}}').status

    assert status(nested(200)) == 201
    assert [status(nested(levels)) for levels in (201, 1_000, 100_000)] == [400] * 3
    assert status(nested(100_000).replace("]", "")) == 400
    assert len(api.messages()) == 1, "the next request in the same process works"


def test_brackets_in_text_do_not_count_as_levels(api: HttpApi) -> None:
    text = '[{"\\' * 10_000
    assert api.post("append", {"role": "user", "content": text}).status == 201
    assert api.contents() == [text]


def test_deep_json_in_place_of_text_is_a_bad_body(api: HttpApi) -> None:
    assert api.post("add", f'{{"content": {"[" * 1_000}{"]" * 1_000}}}').status == 400


@pytest.mark.parametrize("operation", APPENDS)
@pytest.mark.parametrize(
    "media_type",
    ["application/xml", "multipart/form-data; boundary=x", "application/jsonp", "text/json-seq", "json", "*/*", "a;b"],
)
def test_another_media_type_is_not_supported(api: HttpApi, operation: str, media_type: str) -> None:
    assert api.send(operation, headers={"content-type": media_type}).status == 415
    assert api.get("count").json == {"count": 0}


@pytest.mark.parametrize("operation", ["append", "append_many"])
def test_plain_text_is_for_add_only(api: HttpApi, operation: str) -> None:
    assert api.send(operation, headers={"content-type": "text/plain"}).status == 415


@pytest.mark.parametrize("operation", APPENDS)
@pytest.mark.parametrize("name", ["content-type", "Content-Type", "CONTENT-TYPE", "cOnTeNt-TyPe"])
def test_a_header_is_known_by_its_name_in_any_case(api: HttpApi, operation: str, name: str) -> None:
    """RFC 9110 sections 5.1 and 8.3.1: neither names nor media types are case sensitive."""
    for json_type in ("application/json", "Application/JSON; charset=utf-8", "application/json;charset=UTF-8", ""):
        assert api.send(operation, headers={name: json_type}).status == 201
    assert api.send(operation, headers={name: "image/png"}).status == 415


@pytest.mark.parametrize("operation", APPENDS)
def test_a_body_without_a_media_type_is_json(api: HttpApi, operation: str) -> None:
    for headers in (None, {}, {"accept": "text/plain"}, {"content-type": None}):
        assert api.send(operation, headers=headers).status == 201
