"""`make run` as its users see it: the local API in a process of its own, over HTTP."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator

import pytest
import urllib3

from local.dynamodb import HOST
from tests.support.local_run import Run, running


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with running(tmp_path_factory.mktemp("state")) as run:
        yield run


def test_the_printed_curl_lines_work_as_pasted(run: Run) -> None:
    lines = [line.strip() for line in run.banner if line.strip().startswith("curl ")]
    replies = [json.loads(subprocess.check_output(line, shell=True)) for line in lines]
    assert replies[0] == {"seq": 1}
    assert [(m["seq"], m["content"]) for m in replies[1]["messages"]] == [(1, "Hi")]
    assert [m["role"] for m in replies[2]["messages"]] == ["user"]
    assert len(lines) == 3


def test_it_prints_its_address(run: Run) -> None:
    assert run.url in run.banner[0]


@pytest.mark.parametrize(
    ("conversation", "same", "other"),
    [
        ("a%2Cb", "%61%2cb", "a%252Cb"),
        ("%F0%9F%98%80", "%f0%9f%98%80", "%25F0%259F%2598%2580"),
        ("x%20y%23%25", "%78%20y%23%25", "x%20y%23%2525"),
        ("%22%5C%2B", "%22%5c+", "%22%5C%20"),
    ],
)
def test_a_path_is_decoded_once(run: Run, conversation: str, same: str, other: str) -> None:
    message = {"role": "user", "content": "x"}
    assert run.request("POST", f"/conversations/{conversation}/messages", json=message) == (201, {"seq": 1})
    assert run.request("GET", f"/conversations/{same}/messages/count") == (200, {"count": 1})
    assert run.request("GET", f"/conversations/{other}/messages/count") == (200, {"count": 0})


def test_a_slash_or_a_question_mark_ends_a_name(run: Run) -> None:
    """API Gateway decodes the path before it looks for a route, and cuts it at a decoded question mark."""
    message = {"role": "user", "content": "x"}
    assert run.request("POST", "/conversations/cut%2Fx/messages", json=message)[0] == 404
    assert run.request("POST", "/conversations/cut%3Fx/messages", json=message)[0] == 404
    assert run.request("POST", "/conversations/cut/messages%3Fx", json=message) == (201, {"seq": 1})


def test_fixed_routes_win_over_parameters(run: Run) -> None:
    path = "/conversations/routes/messages"
    batch = {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}
    assert run.request("POST", f"{path}/batch", json=batch) == (201, {"seq": 2})
    assert run.request("POST", f"{path}/user", json={"content": "c"}) == (201, {"seq": 3})
    assert run.request("GET", f"{path}/last")[1]["message"]["content"] == "c"


def test_a_binary_body_reaches_the_function_whole(run: Run) -> None:
    body = json.dumps({"role": "user", "content": "é😀"}, ensure_ascii=False).encode()
    path = "/conversations/binary/messages"
    # API Gateway passes a body without a media type on in base64.
    assert run.request("POST", path, body=body) == (201, {"seq": 1})
    assert run.request("GET", f"{path}/last")[1]["message"]["content"] == "é😀"


def test_a_query_parameter_twice_arrives_joined(run: Run) -> None:
    status, _ = run.request("GET", "/conversations/query/messages?limit=1&limit=2")
    assert status == 400


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/conversations/a"),
        ("GET", "/conversations/a/messages/last/more"),
        ("GET", "/conversations//messages"),
        ("DELETE", "/conversations/a/messages"),
        ("PUT", "/conversations/a/messages/last"),
    ],
)
def test_a_request_without_a_route_is_not_found(run: Run, method: str, path: str) -> None:
    assert run.request(method, path) == (404, {"message": "Not Found"})


def test_a_body_that_lambda_does_not_take_is_refused(run: Run) -> None:
    status, reply = run.request("POST", "/conversations/big/messages", body=b" " * (6 * 1024 * 1024))
    assert (status, reply) == (413, {"message": "Request Entity Too Large"})


def test_a_slow_request_holds_up_no_other(run: Run) -> None:
    with socket.create_connection((HOST, urllib3.util.parse_url(run.url).port)) as slow:
        slow.sendall(b"POST /conversations/slow/messages HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
        assert run.request("GET", "/conversations/slow/messages/count") == (200, {"count": 0})
