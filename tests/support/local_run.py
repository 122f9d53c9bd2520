"""Runs `make run` in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def until(condition: Any, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
