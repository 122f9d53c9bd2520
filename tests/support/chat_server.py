"""A model on 127.0.0.1 that says what a script tells it: an OpenAI-compatible server over real HTTP.

    with chat_server() as server:
        server.script(Reply("Ahoy!"), Reply(calls=[("call_1", "get_weather", '{"city": "Berlin"}')]), Refuse(500))
        provider = server.provider()

Each request takes the next step of the script, and is kept in `server.requests`. The chunks have the shape of "The chat
completion chunk object" of the API reference (platform.openai.com/docs/api-reference/chat).
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from messagelog.chat.providers.openai import OpenAIProvider

Call = tuple[str, str, str]
"""A tool call: its id, the tool's name, and the arguments' text."""


class Chunks:
    """The body of a streamed reply, written as it is made; closing without `end` cuts the connection."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

    def data(self, text: str) -> None:
        """One event of the stream."""
        body = f"data: {text}\n\n".encode()
        self._handler.wfile.write(b"%x\r\n%b\r\n" % (len(body), body))
        self._handler.wfile.flush()

    def delta(self, finish: str | None = None, **delta: Any) -> None:
        """One chunk of a chat completion."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self.data(json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 0, "choices": [choice]}))

    def end(self) -> None:
        """Ends the reply as a server does that has said all."""
        self.data("[DONE]")
        self._handler.wfile.write(b"0\r\n\r\n")


class Step:
    """What the server does with a request."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        raise NotImplementedError


@dataclass
class Reply(Step):
    """A whole answer, in pieces: thinking, text, tool calls. `before_end` runs when all but the end was sent.

    `finish` is why it ends, if not as it always does.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    thinking: str = ""
    before_end: Callable[[], object] = lambda: None
    finish: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        chunks = Chunks(handler)
        self.pieces(chunks)
        self.before_end()
        chunks.delta(finish=self.finish or ("tool_calls" if self.calls else "stop"))
        chunks.end()

    def pieces(self, chunks: Chunks) -> None:
        """All but the end."""
        chunks.delta(role="assistant", content="")
        for piece in halves(self.thinking):
            chunks.delta(reasoning_content=piece)
        for piece in halves(self.text):
            chunks.delta(content=piece)
        for index, (id, name, arguments) in enumerate(self.calls):
            chunks.delta(tool_calls=[_call(index, id, name, "")])
            for piece in halves(arguments):
                chunks.delta(tool_calls=[_call(index, None, None, piece)])


@dataclass
class Cut(Reply):
    """The connection breaks when all of the answer but its end was sent."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.pieces(Chunks(handler))
        self.before_end()


@dataclass
class Short(Reply):
    """The server ends its reply in good order, but without a word on why the model ended."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        chunks = Chunks(handler)
        self.pieces(chunks)
        chunks.end()


@dataclass
class BreaksOff(Reply):
    """An error in the middle of the stream."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        chunks = Chunks(handler)
        self.pieces(chunks)
        chunks.data(json.dumps({"error": {"message": self.text, "type": "server_error", "code": "overloaded"}}))
        chunks.end()


@dataclass(frozen=True)
class Refuse(Step):
    """An error in place of an answer, which quotes what was sent."""

    status: int
    code: str = "made_up"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        sent = handler.server.asked[-1]["messages"]  # type: ignore[attr-defined]
        body = json.dumps({"error": {"message": json.dumps(sent), "type": "error", "code": self.code}}).encode()
        handler.send_response(self.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@dataclass
class Echo(Step):
    """Says again what the user has said last."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        sent = handler.server.asked[-1]["messages"]  # type: ignore[attr-defined]
        users = [message["content"] for message in sent if message["role"] == "user"]
        Reply(f"re: {users[-1] if users else ''}").answer(handler)


@dataclass
class Chunked(Step):
    """A reply of these events of the stream, as they are."""

    events: Sequence[str]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        chunks = Chunks(handler)
        for event in self.events:
            chunks.data(event)
        chunks.end()


@dataclass
class Silent(Reply):
    """Sends all but the end, and then nothing until the server ends: a client has to lose patience."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.pieces(Chunks(handler))
        handler.server.ending.wait()  # type: ignore[attr-defined]


_NO_STEP = Refuse(500, "nothing_left_in_the_script")


@dataclass
class ChatServer:
    """The server as a test sees it."""

    url: str
    requests: list[dict[str, Any]]
    otherwise: Step = _NO_STEP
    _steps: deque[Step] = field(default_factory=deque)

    def script(self, *steps: Step) -> None:
        """What becomes of the next requests, in order. A request without a step gets `otherwise`, an error."""
        self._steps.extend(steps)

    def forget(self) -> None:
        """Begins anew, with no script and no requests."""
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
        """A provider that asks this server, and never twice."""
        return OpenAIProvider("m", base_url=self.url, **{"api_key": "none", "max_retries": 0, **arguments})

    def next_step(self) -> Step:
        return self._steps.popleft() if self._steps else self.otherwise


@contextmanager
def chat_server(host: str = "127.0.0.1") -> Iterator[ChatServer]:
    """Serves, and gives the server to be scripted."""
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


def halves(text: str) -> list[str]:
    """The text in two pieces, or in as many as it has characters."""
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


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
        self.send_header("Connection", "close")  # so that no client asks again where nobody listens
        super().end_headers()

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


def _call(index: int, id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
