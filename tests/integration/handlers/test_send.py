"""`send` and its worker: what is accepted, done once, gone on with after a failure, and waited for."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from messagelog import MessageLog, ThrottledError
from messagelog.api import sending, worker
from messagelog.api.worker import DeliveryFailedError
from messagelog.chat import Tool
from messagelog.chat.dynamodb import DynamoDBChatState

from local.dynamodb import HOST, free_port
from tests.support.chat_functions import CALL, Worker, progress, send, turns
from tests.support.chat_server import ChatServer, Cut, Refuse, Reply
from tests.support.clock import Clock
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
def test_without_a_model_send_does_nothing_and_the_error_says_what_to_set(
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


def test_a_second_send_is_told_and_leaves_nothing_behind(
    chat_api: HttpApi, scripted: ChatServer, state: DynamoDBChatState, work: Worker
) -> None:
    send(chat_api, "first")
    assert send(chat_api, "second").status == 409
    assert ([staged.message.content for staged in state.staged(limit=9)], len(work.events)) == (["first"], 1)


def test_a_bad_content_is_told_also_while_another_send_is_running(chat_api: HttpApi, work: Worker) -> None:
    send(chat_api, "first")
    reply = chat_api.post("send", {"content": 5})
    assert (reply.status, reply.paths) == (422, ["content"])
    assert send(chat_api, "x" * 5_000_000).status == 413


def test_what_another_turn_has_added_by_then_is_not_behind_the_seq(
    chat_api: HttpApi, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends between two requests of the send."""
    acquire = DynamoDBChatState.acquire

    def late(state: DynamoDBChatState, holder: str, **how: Any) -> Any:
        chat_api.post("append", {"role": "assistant", "content": "of another turn"})
        return acquire(state, holder, **how)

    monkeypatch.setattr(DynamoDBChatState, "acquire", late)
    assert send(chat_api, "Hello!").json == {"after": 1}


def test_a_send_takes_in_what_was_queued(chat_api: HttpApi, scripted: ChatServer, work: Worker) -> None:
    scripted.script(Reply("Both."))
    for text in ("one", "two"):
        chat_api.post("enqueue", {"role": "user", "content": text})
    assert chat_api.send("send", body=None).status == 202
    work.run()
    assert turns(chat_api) == [("user", "one"), ("user", "two"), ("assistant", "Both.")]


def test_an_event_that_comes_twice_is_one_turn(chat_api: HttpApi, scripted: ChatServer, work: Worker) -> None:
    scripted.script(Reply("Ahoy!"))
    send(chat_api, "Hello!")
    for _ in range(3):
        work.run()
        chat_api.post("enqueue", {"role": "user", "content": "for the next send"})
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


@pytest.mark.parametrize("failure", [Refuse(500), Refuse(401), Cut("Half of an")], ids=["500", "401", "cut"])
def test_a_turn_that_fails_is_gone_on_with_by_the_next_try(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch, failure: Any
) -> None:
    monkeypatch.setattr(worker, "_provider", scripted.provider)  # which never asks twice by itself
    scripted.script(failure, Reply("Ahoy!"))
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError, match="ProviderError: the "):
        work.run()
    assert turns(chat_api) == [("user", "Hello!")]
    assert progress(chat_api) == (False, True), "so that nobody waits for ever"
    work.run()
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]
    assert progress(chat_api) == (False, False)


def test_an_event_that_comes_again_in_the_middle_of_its_turn_runs_no_tool_twice(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda delivers at least once. The second worker fails, so that Lambda tries again when the first may be dead."""
    runs: list[Any] = []

    def pay(args: Any) -> str:
        runs.append(args)
        with pytest.raises(DeliveryFailedError, match="SendRunningError"):
            work.run()
        return "paid"

    setup = ModuleType("paying")
    tools = SimpleNamespace(tools=lambda: [Tool("pay", "Pays.", {"type": "object"}, pay)], tutorial=lambda: None)
    setup.__dict__["setup"] = lambda service: service.tools().add(tools)
    monkeypatch.setitem(sys.modules, "paying", setup)
    monkeypatch.setenv("CHAT_SETUP", "paying:setup")
    scripted.script(Reply("", calls=[("c1", "pay", "{}")]), Reply("Done."))
    send(chat_api, "Pay!")
    work.run()
    assert (turns(chat_api)[-1], runs) == (("assistant", "Done."), [{}])


def test_a_late_event_leaves_the_turn_to_the_send_that_took_its_place(
    chat_api: HttpApi, state: DynamoDBChatState, work: Worker
) -> None:
    """It took in the same queue, and goes on from the same log."""
    send(chat_api, "Hello!")
    (event,) = work.events
    state.release(state.acquire(event["holder"], seconds=9))
    state.acquire("another", seconds=60, turn="another")
    work.run()
    assert turns(chat_api) == []
    assert [staged.message.content for staged in state.staged(limit=9)] == ["Hello!"]


def test_a_turn_that_lost_its_lease_to_one_that_never_began_is_gone_on_with(
    chat_api: HttpApi, scripted: ChatServer, state: DynamoDBChatState, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda's next try finds out whether the other has begun a turn in its place."""

    def lose() -> None:
        monkeypatch.setattr(state, "_clock", lambda: time.time() + 3600)
        state.release(state.acquire("another", seconds=60))

    scripted.script(Reply("Too late.", before_end=lose), Reply("Ahoy!"))
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError, match="LeaseLostError"):
        work.run()
    work.run()
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


def fail_to_count(patch: pytest.MonkeyPatch) -> None:
    def count(*_: object, **__: object) -> int:
        raise ThrottledError("nothing was written, try again later")

    patch.setattr(MessageLog, "count", count)


def fail_to_queue(patch: pytest.MonkeyPatch) -> None:
    def enqueue(*_: object) -> None:
        raise ThrottledError("nothing was written, try again later")

    patch.setattr(DynamoDBChatState, "enqueue", enqueue)


@pytest.mark.parametrize(
    "fail",
    [fail_to_count, fail_to_queue, lambda patch: patch.setenv("CHAT_WORKER_FUNCTION", "Gone")],
    ids=["count", "queue", "worker"],
)
def test_a_send_that_does_not_start_its_worker_leaves_the_turn_that_failed_to_the_next_try(
    chat_api: HttpApi,
    scripted: ChatServer,
    work: Worker,
    monkeypatch: pytest.MonkeyPatch,
    fail: Callable[[pytest.MonkeyPatch], None],
) -> None:
    scripted.script(Refuse(400), Reply("Ahoy!"))
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError):
        work.run()
    with monkeypatch.context() as patch:
        fail(patch)
        assert send(chat_api, "Well?").status in (429, 502)
    work.run()
    assert turns(chat_api)[-1] == ("assistant", "Ahoy!")
    assert progress(chat_api) == (False, False)


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


def test_who_said_nothing_is_not_told_that_it_is_in_the_queue(
    chat_api: HttpApi, state: DynamoDBChatState, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAT_WORKER_FUNCTION", "Gone")
    reply = chat_api.send("send", body=None)
    assert (reply.status, state.staged(limit=1)) == (502, [])
    assert "the content of this send, if it had any, is in the queue" in reply.json["detail"]


def test_a_refusal_says_nothing_of_a_request_that_the_client_sent_before_it(chat_api: HttpApi, work: Worker) -> None:
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


def test_a_precondition_that_is_not_heeded_is_refused(chat_api: HttpApi, work: Worker) -> None:
    reply = chat_api.post("send", {"content": "Hi"}, headers={"Idempotency-Key": "k"})
    assert (reply.status, reply.paths, work.events) == (400, ["idempotency-key"], [])


@dataclass
class Waiting:
    """Time for a send that waits: it passes while the send sleeps, and `meanwhile` happens in the first pause."""

    clock: Clock = field(default_factory=Clock)
    meanwhile: Callable[[], object] = lambda: None

    def monotonic(self) -> float:
        return self.clock()

    def sleep(self, seconds: float) -> None:
        self.clock.sleep(seconds)
        if len(self.clock.pauses) == 1:
            self.meanwhile()


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    time = Waiting()
    monkeypatch.setattr(sending, "time", time)
    return time


def wait(api: HttpApi, seconds: int) -> Any:
    return api.send("send", body='{"content": "Hello!"}', queryStringParameters={"wait": str(seconds)})


def test_who_waits_gets_the_new_messages(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting
) -> None:
    chat_api.post("append", {"role": "user", "content": "earlier"})
    scripted.script(Reply("Ahoy!"))
    waiting.meanwhile = work.run
    reply = wait(chat_api, 25)
    assert (reply.status, reply.json["next"]) == (200, None)
    assert (reply.json["running"], reply.json["failed"]) == (False, False)
    assert [(it["seq"], it["content"]) for it in reply.json["messages"]] == [(2, "Hello!"), (3, "Ahoy!")]
    assert len(waiting.clock.pauses) == 1


def test_a_turn_whose_rounds_are_used_up_is_done(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_CHAT_MAX_TOOL_CALL_ROUNDS", "0")
    scripted.script(Reply(calls=[CALL]))
    waiting.meanwhile = work.run
    assert [it["role"] for it in wait(chat_api, 25).json["messages"]] == ["user", "assistant", "tool"]
    work.run()
    assert len(turns(chat_api)) == 3, "and not done again, though the model has not spoken last"


def test_a_turn_that_had_nothing_to_do_is_done(chat_api: HttpApi, work: Worker, waiting: Waiting) -> None:
    waiting.meanwhile = work.run
    reply = chat_api.send("send", body=None, queryStringParameters={"wait": "25"})
    assert (reply.status, reply.json["messages"]) == (200, [])


def test_who_waits_for_a_turn_that_fails_is_not_kept_waiting(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting
) -> None:
    def fail() -> None:
        with pytest.raises(DeliveryFailedError):
            work.run()

    scripted.script(Refuse(400))
    waiting.meanwhile = fail
    reply = wait(chat_api, 25)
    assert (reply.status, reply.json, len(waiting.clock.pauses)) == (202, {"after": 0}, 1)
    assert progress(chat_api) == (False, True)


@pytest.mark.parametrize("read", ["progress", "window"])
def test_a_table_that_fails_while_somebody_waits_is_no_error_of_the_send(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    """What was to be said is in the queue: told of an error, the caller would say it again."""

    def fail(_: object) -> None:
        raise ThrottledError("nothing was written, try again later")

    def meanwhile() -> None:
        work.run()
        monkeypatch.setattr(DynamoDBChatState, read, fail)

    scripted.script(Reply("Ahoy!"))
    waiting.meanwhile = meanwhile
    reply = wait(chat_api, 25)
    assert (reply.status, reply.json) == (202, {"after": 0})


@pytest.mark.parametrize(("timeout", "longest"), [(29, 25), (10, 8)])
def test_a_wait_is_cheap_and_ends_in_time(
    chat_api: HttpApi, work: Worker, waiting: Waiting, timeout: int, longest: int
) -> None:
    chat_api.context = SimpleNamespace(get_remaining_time_in_millis=lambda: timeout * 1000)
    assert (wait(chat_api, 25).status, len(work.events)) == (202, 1)
    assert longest - 1.1 < sum(waiting.clock.pauses) <= longest
    assert len(waiting.clock.pauses) <= 30, "each pause is one read of one small item"
