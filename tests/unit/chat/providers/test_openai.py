"""The OpenAI provider against a server over real HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import ProviderError, StoredMessage, ToolCall
from messagelog.chat.providers import ContentDelta, Event, Finish, ReasoningDelta, ToolCallDelta
from messagelog.chat.providers.openai import OpenAIProvider

from tests.support.chat_server import BreaksOff, ChatServer, Chunked, Cut, Refuse, Reply, Short, Silent, chat_server

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
SECRET = "the treasure is on Tortuga"
ASKED = [{"role": "user", "content": SECRET}]
WEATHER = SimpleNamespace(name="get_weather", description="The weather of a city.", parameters={"type": "object"})


@pytest.fixture(scope="module")
def running() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def server(running: ChatServer) -> Iterator[ChatServer]:
    running.requests.clear()
    yield running
    assert not running.steps_left


def events_of(server: ChatServer, *steps: Any, tools: Any = (), **arguments: Any) -> list[Event]:
    server.script(*steps)
    return list(server.provider(**arguments).stream("Be brief.", ASKED, tools))


def error_of(server: ChatServer, *steps: Any, **arguments: Any) -> tuple[list[Event], ProviderError]:
    """What came before the error, and the error, which tells nothing of what was said."""
    events: list[Event] = []
    server.script(*steps)
    with pytest.raises(ProviderError) as caught:
        deque(map(events.append, server.provider(**arguments).stream(None, ASKED, [])))
    assert "Tortuga" not in f"{caught.value!r} {caught.value}"
    assert caught.value.__suppress_context__
    return events, caught.value


def test_text_thinking_and_calls_come_as_they_are_streamed(server: ChatServer) -> None:
    reply = Reply("Ahoy!", calls=[("c1", "get_weather", '{"city": "Köln"}')], thinking="Hm.")
    assert events_of(server, reply) == [
        ReasoningDelta("H"),
        ReasoningDelta("m."),
        ContentDelta("Ah"),
        ContentDelta("oy!"),
        ToolCallDelta(0, "c1", "get_weather", ""),
        ToolCallDelta(0, "", "", '{"city":'),
        ToolCallDelta(0, "", "", ' "Köln"}'),
        Finish("tool_calls"),
    ]


def test_events_come_while_the_model_still_speaks(server: ChatServer) -> None:
    server.script(Silent("Ahoy!"))
    stream = server.provider(timeout=60).stream(None, ASKED, [])
    assert next(stream) == ContentDelta("Ah")
    stream.close()  # type: ignore[attr-defined]


def test_the_request_holds_the_prompt_first_and_the_tools(server: ChatServer) -> None:
    events_of(server, Reply("x"), tools=[WEATHER], options={"temperature": 0})
    request = server.last_request
    assert request["messages"] == [{"role": "system", "content": "Be brief."}, *ASKED]
    function = {"name": "get_weather", "description": "The weather of a city.", "parameters": {"type": "object"}}
    assert request["tools"] == [{"type": "function", "function": function}]
    assert (request["model"], request["stream"], request["temperature"]) == ("m", True, 0)


@pytest.mark.parametrize("reason", ["length", "content_filter", "stop"])
def test_a_reply_that_was_not_allowed_to_end_says_so(server: ChatServer, reason: str) -> None:
    assert events_of(server, Reply("x", finish=reason))[-1] == Finish(reason, is_cut=reason != "stop")


def test_without_prompt_and_tools_neither_is_sent(server: ChatServer) -> None:
    server.script(Reply("x"))
    list(server.provider().stream(None, ASKED, []))
    assert server.last_request["messages"] == ASKED
    assert "tools" not in server.last_request


def test_an_endpoint_that_asks_for_no_key_needs_none(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def key_of(**given: str) -> str:
        return OpenAIProvider("m", base_url=server.url, **given)._client.api_key

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server.script(Reply("Ahoy!", finish="stop"))
    assert list(OpenAIProvider("m", base_url=server.url).stream(None, ASKED, []))[-1] == Finish("stop")
    monkeypatch.setenv("OPENAI_API_KEY", "of the environment")
    assert (key_of(), key_of(api_key="mine")) == ("of the environment", "mine")


def test_what_other_servers_send_is_understood(server: ChatServer) -> None:
    """Thinking as `reasoning`, a refusal, a call without an index, a chunk that only counts tokens, one of nothing."""
    deltas: list[dict[str, Any]] = [
        {"reasoning": "hm"},
        {"refusal": "no"},
        {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"content": None, "tool_calls": None},
    ]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks += [{"choices": [{"index": 0, "finish_reason": "stop"}]}, {"choices": [], "usage": {"total_tokens": 1}}]
    chunks += [{"choices": None}, {}]
    assert events_of(server, Chunked([json.dumps(chunk) for chunk in chunks])) == [
        ReasoningDelta("hm"),
        ContentDelta("no"),
        ToolCallDelta(0, "c", "f", "{}"),
        Finish("stop"),
    ]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_a_refusal_is_an_error_with_its_status(server: ChatServer, status: int) -> None:
    events, error = error_of(server, Refuse(status, "some_code"))
    assert not events
    assert error.status == status
    assert f"answered {status} (some_code)" in str(error)


def test_a_code_that_is_no_code_is_not_repeated(server: ChatServer) -> None:
    _, error = error_of(server, Refuse(400, SECRET))
    assert "answered 400 (error)" in str(error)


def test_an_error_in_mid_stream(server: ChatServer) -> None:
    events, error = error_of(server, BreaksOff(SECRET))
    assert len(events) == 2
    assert "(overloaded)" in str(error)
    assert error.status is None


def test_a_cut_connection(server: ChatServer) -> None:
    events, error = error_of(server, Cut("Ahoy!"))
    assert len(events) == 2
    assert "connection" in str(error)


def test_a_reply_that_just_ends_has_no_finish(server: ChatServer) -> None:
    assert events_of(server, Short("Ahoy!")) == [ContentDelta("Ah"), ContentDelta("oy!")]


def test_a_server_that_falls_silent(server: ChatServer) -> None:
    _, error = error_of(server, Silent("Ahoy!"), timeout=0.2)
    assert "in time" in str(error)


def test_nobody_there() -> None:
    provider = OpenAIProvider("m", base_url="http://127.0.0.1:1/v1", api_key="none", max_retries=0)
    with pytest.raises(ProviderError, match="connection"):
        list(provider.stream(None, ASKED, []))


@pytest.mark.parametrize("event", ["no JSON", "5", '{"choices": 5}', '{"choices": [5]}', '{"choices": [{"delta": 5}]}'])
def test_what_is_no_chunk_is_an_error(server: ChatServer, event: str) -> None:
    events, _ = error_of(server, Chunked([event]))
    assert not events


def test_a_request_that_failed_before_the_reply_is_sent_again(server: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.setattr("openai._base_client.time.sleep", lambda _: None)
    assert events_of(server, Refuse(503), Refuse(429), Reply("x"), max_retries=2)[-1] == Finish("stop")
    assert len(server.requests) == 3


def test_the_view_is_openais(server: ChatServer) -> None:
    at = datetime.now(UTC)
    messages = [
        StoredMessage("user", "weather?", seq=1, at=at),
        StoredMessage("reasoning", "hm", seq=2, at=at),
        StoredMessage("assistant", "", tool_calls=(ToolCall("c1", "get_weather", {}),), seq=3, at=at),
    ]
    assert [entry["role"] for entry in server.provider().view(messages)] == ["user", "assistant"]


def test_without_the_package_the_error_names_the_extra() -> None:
    """In a process of its own, since this one has imported it."""
    code = "import sys; sys.modules['openai'] = None; import messagelog.chat.providers.openai"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert "messagelog[openai]" in done.stderr.splitlines()[-1]


def test_the_protocol_and_the_chat_need_no_package() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['openai', 'boto3', 'botocore']));"
        "import messagelog.chat, messagelog.chat.providers"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=ENVIRONMENT)
