"""The answers of a scripted model, which are the steps of its script.

The chunks have the shape of "The chat completion chunk object" of the API reference
(platform.openai.com/docs/api-reference/chat-streaming).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

Call = tuple[str, str, str]
"""A tool call: its id, the tool's name, and the arguments' text."""


class Chunks:
    """The body of a streamed reply, written piece by piece. Without `end`, the connection is cut."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

    def data(self, text: str) -> None:
        """Writes an event of the stream."""
        body = f"data: {text}\n\n".encode()
        self._handler.wfile.write(b"%x\r\n%b\r\n" % (len(body), body))
        self._handler.wfile.flush()

    def delta(self, finish: str | None = None, **delta: Any) -> None:
        """Writes a chunk of a chat completion."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self.data(json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 0, "choices": [choice]}))

    def end(self) -> None:
        """Ends the reply in good order."""
        self.data("[DONE]")
        self._handler.wfile.write(b"0\r\n\r\n")


class Step:
    """An answer of the server to a request."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        raise NotImplementedError


@dataclass
class Reply(Step):
    """A whole answer in pieces: reasoning, text, tool calls.

    Attributes:
        before_end: Called when everything but the end was sent.
        finish: The finish reason; empty for the usual one.
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
        """Writes everything but the end."""
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
    """The connection breaks when everything but the end was sent."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.pieces(Chunks(handler))
        self.before_end()


@dataclass
class Short(Reply):
    """The reply ends in good order, but without a finish reason."""

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
    """An error in place of an answer. It quotes the request."""

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
    """Repeats the user's last text."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        sent = handler.server.asked[-1]["messages"]  # type: ignore[attr-defined]
        users = [message["content"] for message in sent if message["role"] == "user"]
        Reply(f"re: {users[-1] if users else ''}").answer(handler)


@dataclass
class Chunked(Step):
    """A reply of exactly these events."""

    events: Sequence[str]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        chunks = Chunks(handler)
        for event in self.events:
            chunks.data(event)
        chunks.end()


@dataclass
class Silent(Reply):
    """Sends everything but the end, and then nothing until the server ends. The client must time out."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.pieces(Chunks(handler))
        handler.server.ending.wait()  # type: ignore[attr-defined]


def halves(text: str) -> list[str]:
    """The text in two pieces, or in fewer if it is shorter."""
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def _call(index: int, id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
