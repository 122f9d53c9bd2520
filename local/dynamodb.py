"""An embedded DynamoDB: MiniStack in a separate process, on a port of 127.0.0.1.

MiniStack (https://github.com/ministackorg/ministack) keeps its tables in memory and writes them to `STATE_DIR` when it
is told to stop. The lifeline tells it at every end of the run. New data is lost only if MiniStack itself or the machine
is killed.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import boto3
import urllib3

from local.lifeline import Lifeline
from local.template import ROOT

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

HOST = "127.0.0.1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1"}
_START_SECONDS = 60
_STOP_SECONDS = 60


class DynamoDBError(Exception):
    """The embedded DynamoDB does not run; the text says why and what to do."""


class InUseError(DynamoDBError):
    """Another run holds the state folder; `endpoint` is where its DynamoDB listens."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        super().__init__(f"{folder} is in use by another `make run`: stop that first, or set STATE to another folder.")
        self.endpoint = endpoint


@contextmanager
def embedded_dynamodb(
    state: Path | None = None, *, host: str = HOST, port: int = 0, services: str = "dynamodb"
) -> Iterator[str]:
    """Run MiniStack and give its endpoint. With `state`, data is loaded from that folder and saved to it at the end.

    It listens at the address `host`, on `port` if that is free, otherwise on any port. `services` are the names of the
    AWS services to emulate, separated by commas; "" means all.
    Raises InUseError if another run holds `state`, and DynamoDBError if MiniStack does not start.
    """
    with ExitStack() as stack:
        # MiniStack leaves the unpacked code of its Lambda functions in this folder.
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="messagelog-")))
        folder = state or scratch
        folder.mkdir(parents=True, exist_ok=True)
        endpoint = f"http://{host}:{free_port(host, port)}"
        lock = stack.enter_context(_locked(folder, endpoint))
        lifeline = Lifeline()
        variables = {
            **lifeline.environment,
            "BIND_HOST": host,
            "GATEWAY_PORT": endpoint.rpartition(":")[2],
            "SERVICES": services,
            "PERSIST_STATE": "0" if state is None else "1",
            "TMPDIR": str(scratch),
        }
        process = _start(folder, variables, (lifeline.fd, lock.fileno()))
        try:
            _await_ready(process, endpoint, folder)
            yield endpoint
        finally:
            _stop(process, lifeline)


def connect(endpoint: str) -> DynamoDBClient:
    """Return a client for the embedded DynamoDB at `endpoint`, with made-up credentials."""
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=CREDENTIALS["AWS_DEFAULT_REGION"],
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )


def create_tables(client: DynamoDBClient, tables: Mapping[str, dict[str, Any]]) -> None:
    """Create each table of the template that does not exist yet."""
    existing = set(client.list_tables()["TableNames"])
    for arguments in tables.values():
        if arguments["TableName"] not in existing:
            client.create_table(**arguments)


def free_port(host: str = HOST, preferred: int = 0) -> int:
    """Return a free port of `host`: the preferred one if possible."""
    with socket.socket() as probe:
        if preferred:  # connections of a server that has just ended do not count
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, preferred))
        except (OSError, OverflowError):
            probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def _locked(folder: Path, endpoint: str) -> Iterator[IO[str]]:
    """Hold `folder` for this run. MiniStack inherits the lock, so it is held until MiniStack has saved and ended."""
    with (folder / "endpoint").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise InUseError(folder, lock.read()) from None
        lock.truncate(0)
        lock.write(endpoint)
        lock.flush()
        yield lock


def _start(folder: Path, variables: Mapping[str, str], inherited: tuple[int, ...]) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        **CREDENTIALS,
        **variables,
        # Otherwise MiniStack listens for MQTT on all interfaces, and removes containers if it finds Docker.
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "DOCKER_HOST": "unix:///nonexistent",
        "STATE_DIR": str(folder.resolve()),
        "LOG_LEVEL": "WARNING",
    }
    with (folder / "ministack.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "local.ministack"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=inherited,
            # Ctrl-C reaches a whole process group; MiniStack must end last.
            start_new_session=True,
        )


def _await_ready(process: subprocess.Popen[bytes], endpoint: str, folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    with urllib3.PoolManager(retries=False, timeout=5) as http:
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if http.request("GET", f"{endpoint}/_ministack/health").status == 200:
                    return
            except urllib3.exceptions.HTTPError:
                time.sleep(0.05)
    log = (folder / "ministack.log").read_text(encoding="utf-8", errors="replace").strip()
    raise DynamoDBError(f"The embedded DynamoDB (MiniStack) did not start. Its last output:\n{log[-2000:] or '(none)'}")


def _stop(process: subprocess.Popen[bytes], lifeline: Lifeline) -> None:
    """Let MiniStack save and end."""
    lifeline.cut()
    try:
        with _no_interrupts():
            process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise DynamoDBError("The embedded DynamoDB did not end in time and was killed; new data may be lost.") from None


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Ignore a second Ctrl-C while the work that must be finished is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
