"""The local API turns requests and replies into what API Gateway makes of them (HTTP API, payload 2.0)."""

from __future__ import annotations

import base64
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import urllib3
from werkzeug.serving import BaseWSGIServer, make_server
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from local.api import LocalApi
from local.dynamodb import HOST
from local.gateway import BadReplyError, Router, to_event, to_response
from local.runtime import MAX_REPLY_BYTES
from local.template import Function, Route

FUNCTION = Function("F", "f", "handler", Path(), {}, timeout=3, memory=128)


def route(key: str) -> Route:
    method, _, path = key.partition(" ")
    return Route(method, path, FUNCTION)


def event(path: str = "/c/x", **request: Any) -> dict[str, Any]:
    environ = EnvironBuilder(path, environ_base={"REMOTE_ADDR": "127.0.0.1"}, **request).get_environ()
    return to_event(Request(environ), route("GET /c/{c}"), {"c": "x"})


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[object], str]]:
    """`serve(handler)`: the address of a local API whose one function, at GET /c/{c}, is `handler`."""
    servers: list[BaseWSGIServer] = []

    def start(handler: object) -> str:
        module = ModuleType("f")
        module.__dict__["handler"] = handler
        monkeypatch.setitem(sys.modules, "f", module)
        servers.append(make_server(HOST, 0, LocalApi([route("GET /c/{c}")]), threaded=True))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://{HOST}:{servers[-1].server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_header_names_are_in_lower_case_and_doubles_are_joined(serve: Callable[[object], str]) -> None:
    url = serve(lambda event, context: event["headers"])
    doubled = urllib3.HTTPHeaderDict([("X-One", "1"), ("x-ONE", "2")])
    headers = urllib3.request("GET", f"{url}/c/x", headers=doubled).json()
    assert headers["x-one"] == "1,2"
    assert all(name == name.lower() for name in headers)


def ask(url: str, **headers: str) -> tuple[int, bytes]:
    reply = urllib3.request("GET", url, headers=headers)
    return reply.status, reply.data


def test_this_machine_is_served_by_each_of_its_names(serve: Callable[[object], str]) -> None:
    url = serve(lambda event, context: {"statusCode": 200, "body": "x"})
    for name in ("127.0.0.1", "localhost:3000", "LocalHost", "[::1]:8080"):
        assert ask(f"{url}/c/x", Host=name) == ask(f"{url}/c/x", Origin=f"http://{name}") == (200, b"x")


def test_a_web_page_from_elsewhere_is_refused(serve: Callable[[object], str]) -> None:
    """By the name that it gave this machine, or by its own; `null` is a page that hides it."""
    url = serve(fail)
    names = ("example.com", "127.0.0.1.example.com", "localhost.example.com:3000", "10.0.0.1", "x@localhost")
    for headers in (
        {"Origin": "null"},
        *({"Host": name} for name in names),
        *({"Origin": f"https://{name}"} for name in names),
    ):
        status, body = ask(f"{url}/c/x", **headers)
        assert (status, b"127.0.0.1 or localhost" in body) == (403, True)


def test_a_path_that_is_not_utf8_is_a_bad_request(serve: Callable[[object], str]) -> None:
    assert ask(f"{serve(fail)}/c/%ff") == (400, b'{"message":"Bad Request"}')


def fail(event: object, context: object) -> None:
    raise ValueError("secret")


@pytest.mark.parametrize("handler", [fail, lambda event, context: {"statusCode": 200, "body": "x" * MAX_REPLY_BYTES}])
def test_a_failed_function_is_an_internal_server_error(serve: Callable[[object], str], handler: object) -> None:
    reply = urllib3.request("GET", f"{serve(handler)}/c/x")
    assert (reply.status, reply.data) == (500, b'{"message":"Internal Server Error"}')


def test_a_reply_names_its_request_as_the_functions_log_does(serve: Callable[[object], str]) -> None:
    url = serve(lambda event, context: context.aws_request_id)
    first, second = (urllib3.request("GET", f"{url}/c/x") for _ in range(2))
    assert first.json() == first.headers["apigw-requestid"]
    assert first.json() != second.json()


def test_cookies_stand_apart_from_the_headers() -> None:
    sent = event(headers={"Cookie": "a=1; b=2"})
    assert sent["cookies"] == ["a=1", "b=2"]
    assert "cookie" not in sent["headers"]


def test_query_parameters_are_decoded_and_doubles_joined() -> None:
    sent = event("/c/x?a=1&a=2&b=%C3%A9+%26&d")
    assert sent["queryStringParameters"] == {"a": "1,2", "b": "é &", "d": ""}
    assert sent["rawQueryString"] == "a=1&a=2&b=%C3%A9+%26&d"


def test_empty_fields_are_left_out() -> None:
    assert not {"queryStringParameters", "cookies", "body"} & set(event())


@pytest.mark.parametrize(
    "content_type", ["application/json", "Application/JSON; charset=utf-8", "text/plain", "application/xml"]
)
def test_text_is_sent_as_text(content_type: str) -> None:
    sent = event(method="POST", data="é😀".encode(), content_type=content_type)
    assert (sent["body"], sent["isBase64Encoded"]) == ("é😀", False)


@pytest.mark.parametrize(
    ("content_type", "data"),
    [
        ("application/octet-stream", b"{}"),
        ("application/jsonlines", b"{}"),
        ("application/x-www-form-urlencoded", b"a=b"),
        (None, b"{}"),
        ("application/json", b"\xff"),
    ],
)
def test_anything_else_is_sent_in_base64(content_type: str | None, data: bytes) -> None:
    sent = event(method="POST", data=data, content_type=content_type)
    assert (sent["body"], sent["isBase64Encoded"]) == (base64.b64encode(data).decode(), True)


def test_the_raw_path_is_decoded() -> None:
    assert event("/c/%F0%9F%98%80")["rawPath"] == "/c/😀"


@pytest.mark.parametrize(
    ("path", "key", "parameters"),
    [
        ("/c/1/batch", "GET /c/{c}/batch", {"c": "1"}),
        ("/c/1/user", "GET /c/{c}/{role}", {"c": "1", "role": "user"}),
        ("/c/1%2C2/a%20b", "GET /c/{c}/{role}", {"c": "1,2", "role": "a b"}),
        ("/c/1%2Fbatch", "GET /c/{c}/batch", {"c": "1"}),
        ("/c/1%2F2/x", "GET /{all+}", {"all": "c/1/2/x"}),
        ("/c/1/user%3Fa", "GET /c/{c}/{role}", {"c": "1", "role": "user"}),
        ("/c/1%252F/x", "GET /c/{c}/{role}", {"c": "1%2F", "role": "x"}),
        ("/c/1/2/3", "GET /{all+}", {"all": "c/1/2/3"}),
    ],
)
def test_the_most_specific_route_wins(path: str, key: str, parameters: dict[str, str]) -> None:
    router = Router(map(route, ["GET /{all+}", "GET /c/{c}/{role}", "GET /c/{c}/batch"]))
    found = router.match("GET", path)
    assert found
    assert (found[0].key, found[1]) == (key, parameters)


@pytest.mark.parametrize(("method", "path"), [("POST", "/c/1"), ("GET", "/c/"), ("GET", "/c/1/2"), ("GET", "/cc/1")])
def test_other_paths_and_methods_have_no_route(method: str, path: str) -> None:
    assert Router([route("GET /c/{c}")]).match(method, path) is None


def test_a_reply_becomes_a_response() -> None:
    headers = {"Content-Type": "application/json", "x": 1}
    response = to_response({"statusCode": 201, "headers": headers, "cookies": ["a=1", "b=2"], "body": "é"})
    assert (response.status_code, response.data) == (201, "é".encode())
    assert (response.headers["content-type"], response.headers["x"]) == ("application/json", "1")
    assert response.headers.getlist("set-cookie") == ["a=1", "b=2"]


def test_a_reply_in_base64_is_decoded() -> None:
    assert to_response({"statusCode": 200, "body": "/w==", "isBase64Encoded": True}).data == b"\xff"


def test_a_reply_without_a_status_is_the_body() -> None:
    response = to_response({"a": 1})
    assert (response.status_code, response.get_json()) == (200, {"a": 1})


def test_text_is_the_media_type_of_a_reply_that_names_none() -> None:
    assert to_response({"statusCode": 200, "body": "x"}).headers["content-type"] == "text/plain;charset=UTF-8"


@pytest.mark.parametrize(
    "reply",
    [
        {"statusCode": "many"},
        {"statusCode": 200, "body": {"a": 1}},
        {"statusCode": 200, "body": "?", "isBase64Encoded": True},
    ],
)
def test_a_reply_that_cannot_be_sent_is_an_error(reply: dict[str, Any]) -> None:
    with pytest.raises(BadReplyError):
        to_response(reply)
