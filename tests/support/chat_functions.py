"""Fixtures `chat_api`, `scripted`, `work` and `state`: the functions on moto, their model and their worker.

The test plays Lambda's part: it keeps the events of `send`, and runs the worker on them when and as often as it wants.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.providers.openai import OpenAIProvider

from local.lambda_api import LambdaApi
from local.template import Function
from tests.support.chat_server import ChatServer
from tests.support.http_api import HttpApi, Received, empty, functions_on_moto, handler_of, new_process

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CALL = ("call_1", "look_up", '{"city": "Berlin"}')


@pytest.fixture(scope="module")
def chat_table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


class Worker:
    """The worker function. Its events are kept until a test runs it."""

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
def scripted(model: tuple[ChatServer, OpenAIProvider]) -> Iterator[ChatServer]:
    """The model that the functions ask."""
    server, _ = model
    server.requests.clear()
    yield server
    assert not server.steps_left, "the model was asked less often than the script says"


@pytest.fixture
def chat_api(
    chat_table: DynamoDBClient, event: Any, scripted: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> HttpApi:
    """The functions, with empty tables and a model."""
    empty(chat_table)
    for name, value in {"CHAT_PROVIDER": "openai", "CHAT_MODEL": "m", "CHAT_BASE_URL": scripted.url}.items():
        monkeypatch.setenv(name, value)
    return HttpApi(event)


@pytest.fixture
def state(chat_api: HttpApi, chat_table: DynamoDBClient) -> DynamoDBChatState:
    """The state of the conversation's chat."""
    return DynamoDBChatState(chat_api.conversation, table="ChatTable", client=chat_table)


def send(api: HttpApi, content: str | None = None) -> Received:
    """The reply to a send of this content."""
    body = {} if content is None else {"content": content}
    return api.post("send", body)


def turns(api: HttpApi) -> list[tuple[str, str]]:
    """Role and content of the chat's messages."""
    return [(it["role"], it["content"]) for it in api.get("chat_messages").json["messages"]]


def progress(api: HttpApi) -> tuple[bool, bool]:
    """Whether the chat shows its turn as running, and as failed."""
    shown = api.get("chat_messages").json
    return shown["running"], shown["failed"]
