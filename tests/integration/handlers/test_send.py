"""`send` and its worker: what is accepted, done once, gone on with after a failure, and waited for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from messagelog.api import sending
from messagelog.chat.dynamodb import DynamoDBChatState

from local.dynamodb import HOST, free_port
from tests.support.chat_functions import Worker, progress, send, turns
from tests.support.chat_server import ChatServer, Reply
from tests.support.faulty import LostRequest, refused
from tests.support.http_api import HttpApi, new_process


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"CHAT_PROVIDER": ""}, "set CHAT_PROVIDER to bedrock or openai"),
        ({"CHAT_PROVIDER": "gemini"}, "CHAT_PROVIDER must be one of bedrock, openai"),
        ({"CHAT_MODEL": ""}, "set CHAT_MODEL"),
        ({"CHAT_BASE_URL": ""}, "set CHAT_API_KEY"),
    ],
    ids=str,
)
def test_without_a_model_the_error_says_what_to_set(
    chat_api: HttpApi,
    state: DynamoDBChatState,
    work: Worker,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    said: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    reply = send(chat_api, "Hello!")
    assert (reply.status, reply.json["type"]) == (503, "urn:messagelog:no-model")
    assert said in reply.json["detail"]
    assert (state.is_running(), state.staged(limit=1), work.events) == (False, [], [])


def test_a_send_is_accepted_at_once_and_done_by_the_worker(
    chat_api: HttpApi, scripted: ChatServer, state: DynamoDBChatState, work: Worker
) -> None:
    chat_api.post("append", {"role": "user", "content": "earlier"})
    scripted.script(Reply("Ahoy!"))
    reply = send(chat_api, "Hello!")
    assert (reply.status, reply.json) == (202, {"after": 1})
    (event,) = work.events
    assert (sorted(event), event["conversation"]) == (["conversation", "holder"], chat_api.conversation)
    assert [staged.message.content for staged in state.staged(limit=9)] == ["Hello!"], "it outlives a lost worker"
    assert progress(chat_api) == (True, False), "from the reply on"
    work.run()
    assert turns(chat_api) == [("user", "earlier"), ("user", "Hello!"), ("assistant", "Ahoy!")]
    assert progress(chat_api) == (False, False)
    assert [message["content"] for message in scripted.last_request["messages"]] == ["earlier", "Hello!"]


def test_a_second_send_is_refused_and_writes_nothing(
    chat_api: HttpApi, scripted: ChatServer, state: DynamoDBChatState, work: Worker
) -> None:
    send(chat_api, "first")
    assert send(chat_api, "second").status == 409
    assert ([staged.message.content for staged in state.staged(limit=9)], len(work.events)) == (["first"], 1)


def test_a_bad_content_is_told_before_a_running_send(chat_api: HttpApi, work: Worker) -> None:
    send(chat_api, "first")
    reply = chat_api.post("send", {"content": 5})
    assert (reply.status, reply.paths) == (422, ["content"])
    assert send(chat_api, "x" * 5_000_000).status == 413


def test_messages_of_an_earlier_turn_are_not_after_the_seq(
    chat_api: HttpApi, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends between two requests of the send."""
    acquire = DynamoDBChatState.acquire

    def late(state: DynamoDBChatState, holder: str, **how: Any) -> Any:
        chat_api.post("append", {"role": "assistant", "content": "of another turn"})
        return acquire(state, holder, **how)

    monkeypatch.setattr(DynamoDBChatState, "acquire", late)
    assert send(chat_api, "Hello!").json == {"after": 1}


def test_a_send_drains_the_queue(chat_api: HttpApi, scripted: ChatServer, work: Worker) -> None:
    scripted.script(Reply("Both."))
    for text in ("one", "two"):
        chat_api.post("enqueue", {"role": "user", "content": text})
    assert chat_api.send("send", body=None).status == 202
    work.run()
    assert turns(chat_api) == [("user", "one"), ("user", "two"), ("assistant", "Both.")]


def test_a_worker_that_cannot_be_reached_loses_nothing(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_LAMBDA", f"http://{HOST}:{free_port()}")
        reply = send(chat_api, "Hello!")
    new_process()
    assert (reply.status, reply.json["outcome"]) == (503, "unknown")
    assert "send again without content" in reply.json["detail"]
    assert progress(chat_api) == (False, False)
    scripted.script(Reply("Ahoy!"))
    assert send(chat_api).status == 202
    work.run()
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


def test_a_worker_that_is_refused_was_surely_not_started(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller is not told to try again by itself: a client that does would say it twice."""
    with monkeypatch.context() as patch:
        patch.setenv("CHAT_WORKER_FUNCTION", "Gone")
        reply = send(chat_api, "Hello!")
    assert (reply.status, reply.json["type"]) == (502, "urn:messagelog:turn-failed")
    assert "send again without content" in reply.json["detail"]
    assert "retry-after" not in reply.headers
    assert progress(chat_api) == (False, False)
    scripted.script(Reply("Ahoy!"))
    assert send(chat_api).status == 202
    work.run()
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


def test_a_send_without_content_does_not_claim_to_queue_it(
    chat_api: HttpApi, state: DynamoDBChatState, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAT_WORKER_FUNCTION", "Gone")
    reply = chat_api.send("send", body=None)
    assert (reply.status, state.staged(limit=1)) == (502, [])
    assert "the content of this send, if it had any, is in the queue" in reply.json["detail"]


def test_a_refusal_after_a_lost_request_leaves_it_unknown(chat_api: HttpApi, work: Worker) -> None:
    outcomes = iter([LostRequest(), refused("TooManyRequestsException", status=429)])
    events = sending._lambda_client().meta.events
    events.register_first("before-send.lambda.Invoke", lambda request, **_: next(outcomes).send(request))
    reply = send(chat_api, "Hello!")
    assert (reply.status, reply.json["outcome"], next(outcomes, None)) == (503, "unknown", None)


@pytest.mark.parametrize(
    ("body", "path"), [({"content": 1}, "content"), ({"text": "x"}, "text"), ([], "")], ids=json.dumps
)
def test_a_bad_body_sends_nothing(
    chat_api: HttpApi, state: DynamoDBChatState, work: Worker, body: Any, path: str
) -> None:
    reply = chat_api.post("send", body)
    assert (reply.status, reply.paths) == (422, [path])
    assert (state.is_running(), state.staged(limit=1), work.events) == (False, [], [])


@pytest.mark.parametrize("wait", ["26", "-1", "1.5", "", "x"])
def test_a_wait_that_api_gateway_would_not_last_is_refused(chat_api: HttpApi, work: Worker, wait: str) -> None:
    reply = chat_api.send("send", body="{}", queryStringParameters={"wait": wait})
    assert (reply.status, reply.paths, work.events) == (400, ["wait"], [])


def test_an_unsupported_precondition_is_refused(chat_api: HttpApi, work: Worker) -> None:
    reply = chat_api.post("send", {"content": "Hi"}, headers={"Idempotency-Key": "k"})
    assert (reply.status, reply.paths, work.events) == (400, ["idempotency-key"], [])
