"""`make run` starts, stops and starts again: its data survives, and each fault at the start is one clear sentence."""

from __future__ import annotations

import re
import signal
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import urllib3

from local.dynamodb import HOST, free_port
from local.template import ROOT
from tests.support.local_run import listening, running, start, until


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
