"""A scripted model on 127.0.0.1: an OpenAI-compatible server over real HTTP.

    with chat_server() as server:
        server.script(Reply("Ahoy!"), Reply(calls=[("call_1", "get_weather", '{"city": "Berlin"}')]), Refuse(500))
        provider = server.provider()

Each request takes the next step of the script, and is kept in `server.requests`. `chat_steps.py` has the steps.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from messagelog.chat.providers.openai import OpenAIProvider

from tests.support.chat_steps import BreaksOff, Call, Chunked, Chunks, Cut, Echo, Refuse, Reply, Short, Silent, Step

__all__ = [
    "BreaksOff",
    "Call",
    "ChatServer",
    "Chunked",
    "Chunks",
    "Cut",
    "Echo",
    "Refuse",
    "Reply",
    "Short",
    "Silent",
    "Step",
    "chat_server",
]

_NO_STEP = Refuse(500, "nothing_left_in_the_script")


@dataclass
class ChatServer:
    """The server as a test sees it."""

    url: str
    requests: list[dict[str, Any]]
    otherwise: Step = _NO_STEP
    _steps: deque[Step] = field(default_factory=deque)

    def script(self, *steps: Step) -> None:
        """Adds the answers to the next requests. A request without a step gets `otherwise`, an error."""
        self._steps.extend(steps)

    def forget(self) -> None:
        """Removes the script and the requests."""
        self._steps.clear()
        self.requests.clear()
        self.otherwise = _NO_STEP

    @property
    def last_request(self) -> dict[str, Any]:
        """The body of the latest request."""
        return self.requests[-1]

    @property
    def steps_left(self) -> int:
        return len(self._steps)

    def provider(self, **arguments: Any) -> OpenAIProvider:
        """A provider that asks this server, without retries."""
        return OpenAIProvider("m", base_url=self.url, **{"api_key": "none", "max_retries": 0, **arguments})

    def next_step(self) -> Step:
        return self._steps.popleft() if self._steps else self.otherwise


@contextmanager
def chat_server(host: str = "127.0.0.1") -> Iterator[ChatServer]:
    """Starts the server, and yields it for scripting."""
    server = _Server((host, 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.chat
    finally:
        server.ending.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.ending = threading.Event()
        self.asked: list[dict[str, Any]] = []
        self.chat = ChatServer(f"http://{self.server_address[0]!s}:{self.server_address[1]}/v1", self.asked)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == "/v1/chat/completions", self.path
        self.server.asked.append(json.loads(body))
        with suppress(BrokenPipeError, ConnectionResetError):  # the client hung up
            self.server.chat.next_step().answer(self)

    def end_headers(self) -> None:
        self.send_header("Connection", "close")  # so that no client asks again after the server has ended
        super().end_headers()

    def log_message(self, *arguments: object) -> None:
        """Logs nothing."""
