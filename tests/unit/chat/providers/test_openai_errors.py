"""The errors of the OpenAI provider: each names its cause and holds nothing of the conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from messagelog import ProviderError
from messagelog.chat.providers import ContentDelta, Finish
from messagelog.chat.providers.openai import OpenAIProvider

from tests.support.asking import ASKED, SECRET, error_of, events_of
from tests.support.chat_server import BreaksOff, ChatServer, Chunked, Cut, Refuse, Reply, Short, Silent


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_a_refusal_is_an_error_with_its_status(server: ChatServer, status: int) -> None:
    events, error = error_of(server, Refuse(status, "some_code"))
    assert not events
    assert error.status == status
    assert f"answered {status} (some_code)" in str(error)


@pytest.mark.parametrize(("status", "advice"), [(401, "check the API key"), (404, "check the model's name")])
def test_a_refused_setting_comes_with_advice(server: ChatServer, status: int, advice: str) -> None:
    _, error = error_of(server, Refuse(status, "some_code"))
    assert advice in str(error)


def test_a_code_that_is_text_is_not_repeated(server: ChatServer) -> None:
    _, error = error_of(server, Refuse(400, SECRET))
    assert "answered 400 (error)" in str(error)


def test_an_error_in_mid_stream(server: ChatServer) -> None:
    events, error = error_of(server, BreaksOff(SECRET))
    assert len(events) == 2
    assert ("(overloaded)" in str(error), error.code) == (True, "overloaded")
    assert error.status is None


def test_a_cut_connection(server: ChatServer) -> None:
    events, error = error_of(server, Cut("Ahoy!"))
    assert len(events) == 2
    assert ("connection" in str(error), bool(error.code)) == (True, True)


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
def test_a_malformed_chunk_is_an_error(server: ChatServer, event: str) -> None:
    events, _ = error_of(server, Chunked([event]))
    assert not events


def test_a_request_that_failed_early_is_sent_again(server: ChatServer, monkeypatch: Any) -> None:
    monkeypatch.setattr("openai._base_client.time.sleep", lambda _: None)
    assert events_of(server, Refuse(503), Refuse(429), Reply("x"), max_retries=2)[-1] == Finish("stop")
    assert len(server.requests) == 3


@pytest.mark.parametrize("at", ["chunk", "choice"])
def test_an_error_object_in_a_chunk_or_a_choice(server: ChatServer, at: str) -> None:
    """OpenRouter puts it into both, with the HTTP status as its code."""
    error = {"code": 502, "message": SECRET}
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
    chunk = {"choices": [{**choice, "error": error}]} if at == "choice" else {"choices": [choice], "error": error}
    _, caught = error_of(server, Chunked([json.dumps(chunk)]))
    assert (str(caught), caught.code) == ("the provider broke off its reply with an error (502)", "502")


def test_an_error_of_the_connection_names_its_class() -> None:
    provider = OpenAIProvider("m", base_url="http://127.0.0.1:1/v1", api_key="none", max_retries=0)
    with pytest.raises(ProviderError, match=r"\(ConnectError\): check that the model's server runs") as caught:
        list(provider.stream(None, ASKED, []))
    assert caught.value.code == "ConnectError"


def test_a_request_that_cannot_be_made(server: ChatServer) -> None:
    _, caught = error_of(server, options={"metadata": {SECRET}})
    assert caught.code == "TypeError"
