"""Chats for tests: a conversation in memory, and services that talk about it with a scripted model over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from messagelog import MessageLog, StoredMessage
from messagelog.chat import Chat, ChatConfig, ChatService, Tool, ToolPackage
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.providers.openai import OpenAIProvider
from messagelog.memory import MemoryStorage

from tests.providers import openai_rules
from tests.support.chat_server import ChatServer, chat_server
from tests.support.clock import Clock

Said = list[tuple[str, str]]


@dataclass
class Talk:
    """A conversation. Each service has its own chat, as another process would; log, state and clock are shared."""

    server: ChatServer
    provider: OpenAIProvider
    clock: Clock = field(default_factory=Clock)
    storage: MemoryStorage = field(default_factory=MemoryStorage)

    def __post_init__(self) -> None:
        self.state = MemoryChatState(clock=self.clock)

    def chat(self) -> Chat:
        """The chat, as a process finds it."""
        return Chat(self.storage, self.state)

    def service(self, **config: Any) -> ChatService:
        """A service for the chat, as a process finds it."""
        return ChatService(self.chat(), self.provider, ChatConfig(**config))

    def log(self) -> list[StoredMessage]:
        """All messages of the log."""
        return MessageLog(self.storage).all()

    def said(self) -> Said:
        """Roles and contents of all messages of the log."""
        return said(self.log())

    def asked(self, request: int = -1) -> Said:
        """Roles and contents of a request to the model, the latest without a number."""
        return [(message["role"], message["content"]) for message in self.server.requests[request]["messages"]]


class Weather(ToolPackage):
    """A tool for the weather, which does `work` with its args."""

    def __init__(self, work: Callable[[Any], Any] = lambda args: f"22 in {args['city']}") -> None:
        self.work = work
        self.runs: list[Any] = []

    def tools(self) -> list[Tool]:
        parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
        return [Tool("get_weather", "The weather of a city.", parameters, self._run)]

    def tutorial(self) -> str:
        return "Ask for one city at a time."

    def _run(self, args: Any) -> Any:
        self.runs.append(args)
        return self.work(args)


def send_if_due(service: ChatService) -> list[StoredMessage]:
    """A turn as over HTTP: begun, and then resumed by a worker."""
    holder = uuid4().hex
    service.chat().state.acquire(holder, seconds=60)
    return service.resume(holder)


def call(id: str, city: str = "Berlin") -> tuple[str, str, str]:
    """A call of the weather tool, as the server sends it."""
    return id, "get_weather", f'{{"city": "{city}"}}'


def results(talk: Talk) -> list[str]:
    """The results of tools in the log."""
    return [content for role, content in talk.said() if role == "tool"]


def said(messages: list[StoredMessage]) -> Said:
    """Roles and contents."""
    return [(message.role, message.content) for message in messages]


@pytest.fixture(scope="session")
def model() -> Iterator[tuple[ChatServer, OpenAIProvider]]:
    """One server and one provider for all tests that share a process."""
    with chat_server() as server:
        yield server, server.provider()


@pytest.fixture
def talk(model: tuple[ChatServer, OpenAIProvider]) -> Iterator[Talk]:
    """A new conversation. The model is asked as often as a test says, and never for what OpenAI would refuse."""
    server, provider = model
    server.forget()
    yield Talk(server, provider)
    assert not server.steps_left, "the model was asked less often than the test says"
    for request in server.requests:
        assert not openai_rules.faults(request["messages"])
