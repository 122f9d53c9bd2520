"""`send` and its worker on a table, with a model that says what a script tells it.

Lambda's part is played by hand: what `send` invokes is kept, and a test runs the worker on it when and as often as it
wants.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from messagelog.api import sending, worker
from messagelog.api.worker import TurnFailedError
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.service import ChatService
from messagelog.chat.tools import Tool, ToolPackage

from local.dynamodb import HOST, free_port
from local.lambda_api import LambdaApi
from local.template import Function
from tests.chat_server import ChatServer, Cut, Refuse, Reply, chat_server
from tests.clock import Clock
from tests.http_api import HttpApi, empty, functions_on_moto, handler_of, new_process

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MARK = "mArKeR7"
CALL = ("call_1", "look_up", '{"city": "Berlin"}')


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


class Worker:
    """The worker function: what it is invoked with is kept until it is told to run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._events: list[dict[str, str]] = []
        module = ModuleType("keeper")
        module.__dict__["handler"] = lambda event, context: self._events.append(event)
        monkeypatch.setitem(sys.modules, "keeper", module)
        self._lambda = LambdaApi([Function("Worker", "keeper", "handler", Path(), {}, timeout=3, memory=128)])
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", self._lambda.endpoint)
        monkeypatch.setenv("CHAT_WORKER_FUNCTION", "Worker")

    @property
    def events(self) -> list[dict[str, str]]:
        self._lambda.join()
        return self._events

    def run(self, event: dict[str, str] | None = None) -> None:
        """Runs on the last event, or another one."""
        handler_of("send_worker")(event or self.events[-1], None)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    new_process()
    yield Worker(monkeypatch)
    new_process()


@pytest.fixture
def api(
    table: DynamoDBClient, event: Any, server: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HttpApi]:
    empty(table)
    for name, value in {"CHAT_PROVIDER": "openai", "CHAT_MODEL": "m", "CHAT_BASE_URL": server.url}.items():
        monkeypatch.setenv(name, value)
    server.requests.clear()
    yield HttpApi(event)
    assert not server.steps_left, "the model was asked less often than the script says"


@pytest.fixture
def state(api: HttpApi, table: DynamoDBClient) -> DynamoDBChatState:
    return DynamoDBChatState(api.conversation, table="ChatTable", client=table)


def send(api: HttpApi, content: str | None = None) -> Any:
    body = {} if content is None else {"content": content}
    return api.post("send", body)


def turns(api: HttpApi) -> list[tuple[str, str]]:
    return [(it["role"], it["content"]) for it in api.get("chat_messages").json["messages"]]


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
def test_without_a_model_send_says_what_to_set_and_does_nothing(
    api: HttpApi,
    state: DynamoDBChatState,
    work: Worker,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    said: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    reply = send(api, "Hello!")
    assert (reply.status, reply.json["type"]) == (503, "urn:messagelog:no-model")
    assert reply.json["detail"].startswith(said)
    assert (state.is_running(), state.staged(limit=1), work.events) == (False, [], [])


def test_a_send_is_accepted_at_once_and_done_by_the_worker(
    api: HttpApi, server: ChatServer, state: DynamoDBChatState, work: Worker
) -> None:
    api.post("append", {"role": "user", "content": "earlier"})
    server.script(Reply("Ahoy!"))
    reply = send(api, "Hello!")
    assert (reply.status, reply.json) == (202, {"after": 1})
    (event,) = work.events
    assert (sorted(event), event["conversation"]) == (["conversation", "holder"], api.conversation)
    assert [staged.message.content for staged in state.staged(limit=9)] == ["Hello!"], "it outlives a lost worker"
    assert api.get("chat_messages").json["running"] is True, "from the reply on"
    work.run()
    assert turns(api) == [("user", "earlier"), ("user", "Hello!"), ("assistant", "Ahoy!")]
    assert api.get("chat_messages").json["running"] is False
    assert [message["content"] for message in server.last_request["messages"]] == ["earlier", "Hello!"]


def test_a_second_send_is_told_and_leaves_nothing_behind(
    api: HttpApi, server: ChatServer, state: DynamoDBChatState, work: Worker
) -> None:
    send(api, "first")
    assert send(api, "second").status == 409
    assert ([staged.message.content for staged in state.staged(limit=9)], len(work.events)) == (["first"], 1)


def test_a_send_takes_in_what_was_queued(api: HttpApi, server: ChatServer, work: Worker) -> None:
    server.script(Reply("Both."))
    for text in ("one", "two"):
        api.post("enqueue", {"role": "user", "content": text})
    assert api.send("send", body=None).status == 202
    work.run()
    assert turns(api) == [("user", "one"), ("user", "two"), ("assistant", "Both.")]


def test_an_event_that_comes_twice_is_one_turn(api: HttpApi, server: ChatServer, work: Worker) -> None:
    server.script(Reply("Ahoy!"))
    send(api, "Hello!")
    for _ in range(3):
        work.run()
    assert turns(api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


@pytest.mark.parametrize("failure", [Refuse(500), Refuse(401), Cut("Half of an")], ids=["500", "401", "cut"])
def test_a_turn_that_fails_is_gone_on_with_by_the_next_try(
    api: HttpApi, server: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch, failure: Any
) -> None:
    monkeypatch.setattr(worker, "_provider", server.provider)  # which never asks twice by itself
    server.script(failure, Reply("Ahoy!"))
    send(api, "Hello!")
    with pytest.raises(TurnFailedError, match="ProviderError: the "):
        work.run()
    assert turns(api) == [("user", "Hello!")]
    assert api.get("chat_messages").json["running"] is False
    work.run()
    assert turns(api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


def test_a_late_event_leaves_the_turn_to_the_send_that_took_its_place(
    api: HttpApi, state: DynamoDBChatState, work: Worker
) -> None:
    send(api, "Hello!")
    (event,) = work.events
    state.release(state.acquire(event["holder"], seconds=9))
    state.acquire("another", seconds=60)
    work.run()
    assert turns(api) == []
    assert [staged.message.content for staged in state.staged(limit=9)] == ["Hello!"]


def test_a_worker_that_cannot_be_reached_loses_nothing(
    api: HttpApi, server: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_LAMBDA", f"http://{HOST}:{free_port()}")
        reply = send(api, "Hello!")
    new_process()
    assert (reply.status, reply.json["outcome"]) == (503, "unknown")
    assert "send again without content" in reply.json["detail"]
    assert api.get("chat_messages").json["running"] is False
    server.script(Reply("Ahoy!"))
    assert send(api).status == 202
    work.run()
    assert turns(api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


@pytest.mark.parametrize(
    ("body", "path"), [({"content": 1}, "content"), ({"text": "x"}, "text"), ([], "")], ids=json.dumps
)
def test_a_bad_body_sends_nothing(api: HttpApi, state: DynamoDBChatState, work: Worker, body: Any, path: str) -> None:
    reply = api.post("send", body)
    assert (reply.status, reply.paths) == (422, [path])
    assert (state.is_running(), state.staged(limit=1), work.events) == (False, [], [])


@pytest.mark.parametrize("wait", ["26", "-1", "1.5", "", "x"])
def test_a_wait_that_api_gateway_would_not_last_is_refused(api: HttpApi, work: Worker, wait: str) -> None:
    reply = api.send("send", body="{}", queryStringParameters={"wait": wait})
    assert (reply.status, reply.paths, work.events) == (400, ["wait"], [])


def test_a_precondition_that_is_not_heeded_is_refused(api: HttpApi, work: Worker) -> None:
    reply = api.post("send", {"content": "Hi"}, headers={"Idempotency-Key": "k"})
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


def test_who_waits_gets_the_new_messages(api: HttpApi, server: ChatServer, work: Worker, waiting: Waiting) -> None:
    api.post("append", {"role": "user", "content": "earlier"})
    server.script(Reply("Ahoy!"))
    waiting.meanwhile = work.run
    reply = wait(api, 25)
    assert (reply.status, reply.json["next"], reply.json["running"]) == (200, None, False)
    assert [(it["seq"], it["content"]) for it in reply.json["messages"]] == [(2, "Hello!"), (3, "Ahoy!")]
    assert len(waiting.clock.pauses) == 1


def test_a_turn_whose_rounds_are_used_up_is_done(
    api: HttpApi, server: ChatServer, work: Worker, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_CHAT_MAX_TOOL_CALL_ROUNDS", "0")
    server.script(Reply(calls=[CALL]))
    waiting.meanwhile = work.run
    assert [it["role"] for it in wait(api, 25).json["messages"]] == ["user", "assistant", "tool"]


def test_who_waits_for_a_turn_that_fails_is_not_kept_waiting(
    api: HttpApi, server: ChatServer, work: Worker, waiting: Waiting
) -> None:
    def fail() -> None:
        with pytest.raises(TurnFailedError):
            work.run()

    server.script(Refuse(400))
    waiting.meanwhile = fail
    reply = wait(api, 25)
    assert (reply.status, reply.json, len(waiting.clock.pauses)) == (202, {"after": 0}, 1)


@pytest.mark.parametrize(("timeout", "longest"), [(29, 25), (10, 8), (1, 0)])
def test_a_wait_is_cheap_and_ends_in_time(
    api: HttpApi, work: Worker, waiting: Waiting, timeout: int, longest: int
) -> None:
    api.context = SimpleNamespace(get_remaining_time_in_millis=lambda: timeout * 1000)
    assert (wait(api, 25).status, len(work.events)) == (202, 1)
    assert longest - 1.1 < sum(waiting.clock.pauses) <= longest
    assert len(waiting.clock.pauses) <= 30, "each pause is one read of one small item"


class Weather(ToolPackage):
    def tools(self) -> list[Tool]:
        return [Tool("look_up", "The weather in a city.", {"type": "object"}, lambda args: f"22 °C in {args['city']}")]

    def tutorial(self) -> str:
        return "Look it up."


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the hook of the set-up that CHAT_SETUP names has heard."""
    texts: list[str] = []

    def set_up(service: ChatService) -> None:
        service.tools().add(Weather())
        service.hook().message("assistant").do(lambda message, *_: texts.append(message.content))

    module = ModuleType("of_mine")
    module.__dict__["set_up"] = set_up
    monkeypatch.setitem(sys.modules, "of_mine", module)
    monkeypatch.setenv("CHAT_SETUP", "of_mine:set_up")
    return texts


def test_a_send_has_the_tools_and_hooks_of_its_set_up(
    api: HttpApi, server: ChatServer, work: Worker, heard: list[str]
) -> None:
    server.script(Reply(calls=[CALL]), Reply("It is 22 °C."))
    send(api, "How warm is it?")
    work.run()
    assert [role for role, _ in turns(api)] == ["user", "assistant", "tool", "assistant"]
    assert turns(api)[2] == ("tool", "22 °C in Berlin")
    assert heard == ["", "It is 22 °C."]
    assert "Tool Package Weather" in server.last_request["messages"][0]["content"]
    assert "Look it up." in api.get("get_system").json["text"]


@pytest.mark.parametrize("setup", ["of_mine", "of_mine:nothing", "not_there:set_up", ":"])
def test_a_set_up_that_is_not_there_fails_the_turn(
    api: HttpApi, work: Worker, heard: list[str], monkeypatch: pytest.MonkeyPatch, setup: str
) -> None:
    monkeypatch.setenv("CHAT_SETUP", setup)
    send(api, "Hello!")
    with pytest.raises(TurnFailedError):
        work.run()


def test_the_settings_of_the_chat_come_from_the_environment(
    api: HttpApi, server: ChatServer, work: Worker, heard: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "persona.md").write_text("You are a pirate.")
    monkeypatch.setenv("LLM_CHAT_SYSTEM_PROMPT_DIR", str(tmp_path))
    monkeypatch.setenv("LLM_CHAT_MAX_TOOL_CALL_ROUNDS", "1")
    server.script(Reply(calls=[CALL]), Reply(calls=[("call_2", *CALL[1:])]))
    send(api, "How warm is it?")
    work.run()
    assert "You are a pirate." in server.last_request["messages"][0]["content"]
    assert [role for role, _ in turns(api)] == ["user", "assistant", "tool", "assistant", "tool"]
    monkeypatch.setenv("LLM_CHAT_SYSTEM_PROMPT", "Be brief.")
    server.script(Reply("Yes."))
    send(api, "Well?")
    work.run()
    assert server.last_request["messages"][0] == {"role": "system", "content": "Be brief."}


def test_the_key_is_the_text_of_the_secret(api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = boto3.client("secretsmanager").create_secret(Name="key", SecretString="of the secret")
    monkeypatch.setenv("CHAT_API_KEY_SECRET", secret["ARN"])
    assert worker._provider()._client.api_key == "of the secret"  # type: ignore[attr-defined]
    monkeypatch.setenv("CHAT_API_KEY", "of the environment")
    assert worker._provider()._client.api_key == "of the environment"  # type: ignore[attr-defined]


def test_bedrock_is_asked_for_the_model(api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_PROVIDER", "bedrock")
    monkeypatch.setenv("CHAT_MODEL", "amazon.nova-lite-v1:0")
    provider = worker._provider()
    assert (type(provider).__name__, provider._model) == ("BedrockProvider", "amazon.nova-lite-v1:0")  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["openai", "httpx", "httpcore"])
def test_what_logs_requests_at_debug_does_not(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The package openai does in some of the versions that will do."""
    monkeypatch.setattr(logging.getLogger(), "level", logging.DEBUG)
    logging.getLogger().manager._clear_cache()  # type: ignore[attr-defined]
    assert not logging.getLogger(f"{name}._any").isEnabledFor(logging.DEBUG)
    assert logging.getLogger("another").isEnabledFor(logging.DEBUG)


@pytest.mark.parametrize(
    "failure",
    [None, Refuse(400), Cut(MARK), Reply(MARK, calls=[(MARK, MARK, MARK)])],
    ids=["none", "refusal", "cut", "after a call"],
)
def test_neither_log_nor_error_tells_what_a_chat_is_about(
    table: DynamoDBClient,
    event: Any,
    api: HttpApi,
    server: ChatServer,
    work: Worker,
    heard: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    failure: Any,
) -> None:
    """With the root logger at DEBUG, as the template's LogLevel can set it."""
    lines = StringIO()
    monkeypatch.setattr(importlib.import_module("messagelog.api.operation").logger.registered_handler, "stream", lines)
    root, handler = logging.getLogger(), logging.StreamHandler(lines)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s %(args)s"))
    monkeypatch.setattr(root, "level", logging.DEBUG)
    monkeypatch.setattr(root, "handlers", [*root.handlers, handler])
    root.manager._clear_cache()  # type: ignore[attr-defined]
    monkeypatch.setattr(worker, "_provider", server.provider)
    named = HttpApi(event, conversation=f"{MARK}@example.com")
    server.script(failure or Reply(MARK))
    if isinstance(failure, Reply) and failure.calls:
        server.script(Refuse(500))
    named.post("put_system", {"tree": {"title": MARK}})
    named.post("enqueue", {"role": "user", "content": MARK})
    assert send(named, MARK).status == 202
    error = None
    try:
        work.run()
    except TurnFailedError as raised:
        error = raised
    assert (error is None) == (failure is None)
    named.get("chat_messages")
    named.send("clear", body=json.dumps({MARK: MARK}))
    out, err = capfd.readouterr()
    logged = lines.getvalue() + out + err + str(error)
    assert logged.count('"message":"request"') == 6
    assert MARK not in logged
    assert error is None or (error.__cause__, error.__suppress_context__) == (None, True)
    root.manager._clear_cache()  # type: ignore[attr-defined]
