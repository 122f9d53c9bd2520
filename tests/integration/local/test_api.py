"""`make run` as its users see it: the local API in a process of its own, over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import urllib3

from local.dynamodb import HOST, free_port
from local.template import ROOT

HTTP = urllib3.PoolManager(retries=False, timeout=30)


@dataclass
class Run:
    """A running `make run`: its process, its address and what it printed at the start."""

    process: subprocess.Popen[str]
    url: str
    banner: list[str]

    def request(self, method: str, path: str, **arguments: Any) -> tuple[int, Any]:
        reply = HTTP.request(method, self.url + path, **arguments)
        return reply.status, json.loads(reply.data)

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)


def start(state: Path, port: int | str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "local.serve"],
        cwd=ROOT,
        env={**os.environ, "PORT": str(port), "STATE": str(state)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@contextmanager
def running(state: Path, port: int | None = None) -> Iterator[Run]:
    port = port or free_port()
    process = start(state, port)
    try:
        assert process.stdout
        banner = [process.stdout.readline()]
        while banner[-1] and "anthropic" not in banner[-1]:
            banner.append(process.stdout.readline())
        assert banner[-1], f"it ended at once: {banner}"
        yield Run(process, f"http://{HOST}:{port}", banner)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_data_survives_a_restart(tmp_path: Path, number: signal.Signals) -> None:
    message = {"role": "user", "content": "é😀\0"}
    with running(tmp_path) as first:
        assert first.request("POST", "/conversations/a/messages", json=message) == (201, {"seq": 1})
        assert first.stop(number) == 0
    with running(tmp_path) as second:
        status, reply = second.request("GET", "/conversations/a/messages/last")
        assert (status, reply["message"]["content"]) == (200, message["content"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_running_and_nothing_lost(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path) as run:
        assert run.request("POST", "/conversations/a/messages/user", json={"content": "x"}) == (201, {"seq": 1})
        ports = [int(run.url.rpartition(":")[2]), int((tmp_path / "endpoint").read_text().rpartition(":")[2])]
        assert all(listening(port) for port in ports)
        run.stop(number)
        until(lambda: not any(listening(port) for port in ports))
    until((tmp_path / "dynamodb.json").exists)


def test_dynamodb_has_the_next_port_at_every_start(tmp_path: Path) -> None:
    not_given_at_random = range(20_000, 30_000, 2)
    port = next(it for it in not_given_at_random if (free_port(HOST, it), free_port(HOST, it + 1)) == (it, it + 1))
    for _ in range(2):
        with running(tmp_path, port) as run:
            assert run.request("GET", "/conversations/a/messages/count") == (200, {"count": 0})
            assert (tmp_path / "endpoint").read_text() == f"http://{HOST}:{port + 1}"


def test_stopping_says_nothing(tmp_path: Path) -> None:
    with running(tmp_path) as run:
        run.process.send_signal(signal.SIGINT)
        output, _ = run.process.communicate(timeout=30)
    assert output.strip() == ""


def test_a_port_in_use_is_one_clear_sentence(tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind((HOST, 0))
        holder.listen()
        port = holder.getsockname()[1]
        process = start(tmp_path, port)
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert re.fullmatch(rf"Port {port} cannot be used \(.*\): stop the other `make run`, or .*\n", output)


def test_a_model_that_cannot_be_reached_from_here_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_PROVIDER", "bedrock")
    process = start(tmp_path, 3000)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "set CHAT_PROVIDER=openai" in output


@pytest.mark.parametrize("port", ["x", "0", "65536"])
def test_a_port_that_is_none_is_one_clear_sentence(tmp_path: Path, port: str) -> None:
    process = start(tmp_path, port)
    output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (1, f"PORT is '{port}'; it must be a number from 1 to 65535.\n")


def test_data_in_use_is_one_clear_sentence(tmp_path: Path) -> None:
    with running(tmp_path):
        process = start(tmp_path, free_port())
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "is in use by another `make run`" in output
    assert output.count("\n") == 1


def test_code_that_changes_is_served(tmp_path: Path) -> None:
    """The reloader sees the watched file's time of change, not its content: touching it is enough."""
    with running(tmp_path) as run:
        assert run.request("GET", "/conversations/a/messages/count") == (200, {"count": 0})
        (ROOT / "functions" / "count.py").touch()
        assert run.process.stdout
        lines = iter(run.process.stdout.readline, "")
        assert any("Detected change" in line for line in lines)

        def answers() -> bool:
            with suppress(urllib3.exceptions.ProtocolError):  # what the old process has taken and takes with it
                return run.request("GET", "/conversations/a/messages/count") == (200, {"count": 0})
            return False

        until(answers)


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def until(condition: Any, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
