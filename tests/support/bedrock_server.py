"""A model on 127.0.0.1 that speaks Bedrock's event stream over real HTTP, as a test scripts it.

The frames are those of "Event stream encoding" in the Amazon Transcribe developer guide: prelude with its checksum,
headers, payload, checksum of everything. botocore reads them here as it does in production.
"""

from __future__ import annotations

import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config
from messagelog import ProviderError
from messagelog.chat.providers.bedrock import BedrockProvider

SECRET = "the treasure is on Tortuga"
ASKED = [{"role": "user", "content": [{"text": SECRET}]}]
WEATHER = SimpleNamespace(name="get_weather", description="The weather.", parameters={"type": "object"})
CLAUDE, NOVA = "eu.anthropic.claude-x-v1:0", "amazon.nova-x-v1:0"

Answer = Callable[[BaseHTTPRequestHandler], None]


def frame(kind: str, body: dict[str, Any], message_type: str = "event") -> bytes:
    """A message of the event stream. Its `kind` is the type of the event or of the exception."""
    named = {
        f":{message_type}-type": kind,
        ":content-type": "application/json",
        ":message-type": message_type,
    }
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in named.items()
    )
    payload = json.dumps(body).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    checked = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return checked + struct.pack(">I", zlib.crc32(checked))


def delta(index: int, **what: Any) -> bytes:
    return frame("contentBlockDelta", {"contentBlockIndex": index, "delta": what})


START = frame("messageStart", {"role": "assistant"})
STOP = frame("messageStop", {"stopReason": "end_turn"})
TEXT = [START, delta(0, text="Ah"), delta(0, text="oy!")]


def streams(frames: list[bytes], end: bool = True, wait: threading.Event | None = None) -> Answer:
    """Streams the frames. Without `end` the connection breaks after them; with `wait` the server falls silent."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/vnd.amazon.eventstream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for each in frames:
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(each), each))
            handler.wfile.flush()
        if wait:
            wait.wait()
        if end:
            handler.wfile.write(b"0\r\n\r\n")

    return answer


def refuses(status: int, code: str, message: str = SECRET) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps({"message": message}).encode()
        handler.send_response(status)
        handler.send_header("x-amzn-errortype", code)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@dataclass
class Bedrock:
    """The server as a test sees it."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    steps: list[Answer] = field(default_factory=list)

    def provider(self, model: str = NOVA, read_timeout: float = 60, **arguments: Any) -> BedrockProvider:
        client = boto3.client(
            "bedrock-runtime",
            endpoint_url=self.url,
            region_name="eu-central-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
            config=Config(read_timeout=read_timeout, retries={"total_max_attempts": 1}),
        )
        return BedrockProvider(model, client=client, **arguments)

    def events(self, *steps: Answer, system: str | None = None, tools: Any = (), **how: Any) -> list[Any]:
        """The events of a reply. `how` holds the arguments of the provider."""
        messages = how.pop("messages", ASKED)
        self.steps += steps
        return list(self.provider(**how).stream(system, messages, tools))

    def error(self, *steps: Answer, **how: Any) -> ProviderError:
        """The error of a reply. It holds nothing of the conversation."""
        with pytest.raises(ProviderError) as caught:
            self.events(*steps, **how)
        assert "Tortuga" not in f"{caught.value!r} {caught.value}"
        assert caught.value.__suppress_context__
        return caught.value


@contextmanager
def serving(bedrock: Bedrock) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            bedrock.requests.append({"path": self.path, **body})
            bedrock.steps.pop(0)(self)

        def end_headers(self) -> None:
            self.send_header("Connection", "close")  # so that no client asks again after the server has ended
            super().end_headers()

        def log_message(self, *arguments: object) -> None:
            """Logs nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    bedrock.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
