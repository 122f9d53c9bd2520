"""The Bedrock provider against a server over real HTTP that speaks the event-stream encoding.

The frames are those of "Event stream encoding" in the Amazon Transcribe developer guide: prelude with its checksum,
headers, payload, checksum of all. botocore reads them here as it does in production.
"""

from __future__ import annotations

import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config
from messagelog import ProviderError, StoredMessage, ToolCall
from messagelog.chat import Chat, ChatService
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.providers import ContentDelta, Finish, ReasoningDelta, ToolCallDelta
from messagelog.chat.providers.bedrock import BedrockProvider
from messagelog.memory import MemoryStorage

from tests.providers import bedrock_rules
from tests.support.chats import Weather, said

SECRET = "the treasure is on Tortuga"
ASKED = [{"role": "user", "content": [{"text": SECRET}]}]
WEATHER = SimpleNamespace(name="get_weather", description="The weather.", parameters={"type": "object"})
CLAUDE, NOVA = "eu.anthropic.claude-x-v1:0", "amazon.nova-x-v1:0"

Answer = Callable[[BaseHTTPRequestHandler], None]


def frame(kind: str, body: dict[str, Any], message_type: str = "event") -> bytes:
    """One message of the event stream; its `kind` is the event's type, or the exception's."""
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
    """Streams the frames; without `end` the connection breaks behind them, with `wait` nothing more comes."""

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
        """The events of a reply; `how` makes the provider."""
        messages = how.pop("messages", ASKED)
        self.steps += steps
        return list(self.provider(**how).stream(system, messages, tools))

    def error(self, *steps: Answer, **how: Any) -> ProviderError:
        """The error of a reply, which tells nothing of what was said."""
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
            self.send_header("Connection", "close")  # so that no client asks again where nobody listens
            super().end_headers()

        def log_message(self, *arguments: object) -> None:
            """Says nothing."""

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


@pytest.fixture(scope="module")
def running() -> Iterator[Bedrock]:
    bedrock = Bedrock()
    with serving(bedrock):
        yield bedrock


@pytest.fixture
def bedrock(running: Bedrock) -> Iterator[Bedrock]:
    running.requests.clear()
    yield running
    assert not running.steps


def test_text_thinking_and_calls_come_as_they_are_streamed(bedrock: Bedrock) -> None:
    use = {"toolUseId": "c1", "name": "get_weather"}
    frames = [
        START,
        delta(0, reasoningContent={"text": "Hm."}),
        delta(0, reasoningContent={"signature": "s"}),
        frame("contentBlockStop", {"contentBlockIndex": 0}),
        delta(1, text="Ahoy!"),
        frame("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": use}}),
        delta(2, toolUse={"input": '{"city":'}),
        delta(2, toolUse={"input": ' "Köln"}'}),
        frame("messageStop", {"stopReason": "tool_use"}),
        frame("metadata", {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {}}),
    ]
    assert bedrock.events(streams(frames)) == [
        ReasoningDelta("Hm."),
        ContentDelta("Ahoy!"),
        ToolCallDelta(2, "c1", "get_weather", ""),
        ToolCallDelta(2, "", "", '{"city":'),
        ToolCallDelta(2, "", "", ' "Köln"}'),
        Finish("tool_use"),
    ]


def test_the_request_holds_prompt_messages_and_tools(bedrock: Bedrock) -> None:
    options = {"inferenceConfig": {"maxTokens": 5}}
    bedrock.events(streams([*TEXT, STOP]), system="Be brief.", tools=[WEATHER], options=options)
    spec = {"name": "get_weather", "description": "The weather.", "inputSchema": {"json": {"type": "object"}}}
    assert bedrock.requests == [
        {
            "path": "/model/amazon.nova-x-v1%3A0/converse-stream",
            "system": [{"text": "Be brief."}],
            "messages": ASKED,
            "toolConfig": {"tools": [{"toolSpec": spec}]},
            **options,
        }
    ]


@pytest.mark.parametrize(
    ("reason", "is_cut"),
    [
        ("end_turn", False),
        ("stop_sequence", False),
        ("tool_use", False),
        ("max_tokens", True),
        ("model_context_window_exceeded", True),
        ("guardrail_intervened", True),
        ("content_filtered", True),
        ("malformed_tool_use", True),
        ("malformed_model_output", True),
    ],
)
def test_a_reply_that_was_not_allowed_to_end_says_so(bedrock: Bedrock, reason: str, is_cut: bool) -> None:
    stop = frame("messageStop", {"stopReason": reason})
    assert bedrock.events(streams([*TEXT, stop]))[-1] == Finish(reason, is_cut)


def test_without_prompt_and_tools_neither_is_sent(bedrock: Bedrock) -> None:
    bedrock.events(streams([*TEXT, STOP]))
    assert bedrock.requests[0].keys() == {"path", "messages"}


def test_a_tool_without_a_description_has_none(bedrock: Bedrock) -> None:
    bare = SimpleNamespace(name="f", description="", parameters={"type": "object"})
    bedrock.events(streams([*TEXT, STOP]), tools=[bare])
    (tool,) = bedrock.requests[0]["toolConfig"]["tools"]
    assert tool["toolSpec"].keys() == {"name", "inputSchema"}


def test_a_history_of_tools_that_are_gone_is_taken(bedrock: Bedrock) -> None:
    """Converse refuses tool blocks without a toolConfig."""
    at = datetime.now(UTC)
    history = [
        StoredMessage("user", "weather?", seq=1, at=at),
        StoredMessage("assistant", "", tool_calls=(ToolCall("c1", "f", {}), ToolCall("c2", "f", {})), seq=2, at=at),
        StoredMessage("tool", "mild", tool_call_id="c1", seq=3, at=at),
        StoredMessage("tool", "warm", tool_call_id="c2", seq=4, at=at),
    ]
    bedrock.events(streams([*TEXT, STOP]), messages=bedrock.provider().view(history))
    names = [tool["toolSpec"]["name"] for tool in bedrock.requests[0]["toolConfig"]["tools"]]
    assert names == ["f"]


def test_a_whole_turn_with_tools_is_what_converse_takes(bedrock: Bedrock) -> None:
    use = {"toolUseId": "c1", "name": "get_weather"}
    calls = [
        START,
        delta(0, reasoningContent={"text": "Hm."}),
        frame("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": use}}),
        delta(1, toolUse={"input": '{"city": "Köln"}'}),
        frame("messageStop", {"stopReason": "tool_use"}),
    ]
    bedrock.steps += [streams(calls), streams([*TEXT, STOP])]
    service = ChatService(Chat(MemoryStorage(), MemoryChatState()), bedrock.provider())
    service.tools().add(Weather())
    service.send("How is Köln?")
    assert said(service.chat().messages()) == [
        ("user", "How is Köln?"),
        ("reasoning", "Hm."),
        ("assistant", ""),
        ("tool", "22 in Köln"),
        ("assistant", "Ahoy!"),
    ]
    for request in bedrock.requests:
        assert not bedrock_rules.faults(request["messages"])
        assert request["system"][0]["text"].startswith("tutorials")
    assert bedrock.requests[1]["messages"][1]["content"] == [{"toolUse": {**use, "input": {"city": "Köln"}}}]


def test_claude_is_asked_not_to_think(bedrock: Bedrock) -> None:
    bedrock.events(streams([*TEXT, STOP]), model=CLAUDE)
    assert bedrock.requests[0]["additionalModelRequestFields"] == {"thinking": {"type": "disabled"}}


def test_a_claude_that_cannot_but_think_is_asked_once(bedrock: Bedrock) -> None:
    refused = refuses(400, "ValidationException", '"thinking.type.disabled" is not supported for this model.')
    bedrock.steps += [refused, streams([*TEXT, STOP]), streams([*TEXT, STOP])]
    provider = bedrock.provider(model=CLAUDE)
    for _ in range(2):
        assert list(provider.stream(None, ASKED, []))[-1] == Finish("end_turn")
    assert ["additionalModelRequestFields" in request for request in bedrock.requests] == [True, False, False]


def test_any_other_refusal_is_no_reason_to_ask_again(bedrock: Bedrock) -> None:
    assert bedrock.error(refuses(400, "ValidationException"), model=CLAUDE).status == 400


def test_who_sets_the_fields_decides_about_thinking(bedrock: Bedrock) -> None:
    fields = {"thinking": {"type": "adaptive"}}
    bedrock.events(streams([*TEXT, STOP]), model=CLAUDE, options={"additionalModelRequestFields": fields})
    assert bedrock.requests[0]["additionalModelRequestFields"] == fields


@pytest.mark.parametrize(
    ("status", "code"), [(400, "ValidationException"), (403, "AccessDeniedException"), (429, "ThrottlingException")]
)
def test_a_refusal_is_an_error_with_its_status(bedrock: Bedrock, status: int, code: str) -> None:
    error = bedrock.error(refuses(status, code))
    assert (error.status, str(error)) == (status, f"the provider answered {status} ({code})")


def test_an_error_in_mid_stream(bedrock: Bedrock) -> None:
    broken = frame("modelStreamErrorException", {"message": SECRET}, "exception")
    error = bedrock.error(streams([*TEXT, broken]))
    assert "modelStreamErrorException" in str(error)
    assert error.status is None


def test_a_cut_connection(bedrock: Bedrock) -> None:
    assert "connection" in str(bedrock.error(streams(TEXT, end=False)))


def test_a_reply_that_just_ends_has_no_finish(bedrock: Bedrock) -> None:
    assert bedrock.events(streams(TEXT)) == [ContentDelta("Ah"), ContentDelta("oy!")]


def test_a_server_that_falls_silent(bedrock: Bedrock) -> None:
    ending = threading.Event()
    try:
        assert "in time" in str(bedrock.error(streams(TEXT, wait=ending), read_timeout=0.2))
    finally:
        ending.set()


def test_a_stream_that_is_none(bedrock: Bedrock) -> None:
    assert "connection" in str(bedrock.error(streams([b"<html>" * 20])))


def test_nobody_there() -> None:
    bedrock = Bedrock("http://127.0.0.1:1")
    assert "connection" in str(bedrock.error())


def test_a_request_that_cannot_be_made(bedrock: Bedrock) -> None:
    assert "ParamValidationError" in str(bedrock.error(options={"temperature": SECRET}))


def test_dropping_the_stream_ends_the_request(bedrock: Bedrock) -> None:
    ending = threading.Event()
    bedrock.steps.append(streams(TEXT, wait=ending))
    stream = bedrock.provider().stream(None, ASKED, [])
    assert next(stream) == ContentDelta("Ah")
    stream.close()  # type: ignore[attr-defined]
    ending.set()
