"""Fixture `open_chat`: each chat state that keeps the contract, beside the log of its kind.

To hold another state to the contract, write a fixture that opens it and name it in `params`.
"""

from __future__ import annotations

import base64
import random
import uuid
from collections import defaultdict
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import AgentMessage, StoredMessage
from messagelog.chat import Chat
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.states.state import ChatState
from messagelog.dynamodb import DynamoDBStorage, default_client
from messagelog.memory import MemoryStorage

from local.dynamodb import connect
from local.template import Template
from tests.support.clock import Clock
from tests.support.fake_dynamodb import FakeDynamoDB, Tables
from tests.support.tables import PATIENT

Open = Callable[[str], Chat]
SUMMARY = AgentMessage("user", "summary")


@pytest.fixture
def clock() -> Clock:
    """The clock by which leases run out."""
    clock = Clock()
    clock.now = 1_000.0
    return clock


@pytest.fixture(params=["memory", "fake", "moto", "ministack"])
def open_chat(request: pytest.FixtureRequest) -> Open:
    """`open_chat(conversation)` gives its chat, as a process finds it that knows nothing about it yet."""
    opener: Open = request.getfixturevalue(f"open_chat_on_{request.param}")
    return opener


@pytest.fixture
def open_chat_on_memory(clock: Clock) -> Open:
    """Chats in this process."""
    logs: defaultdict[str, MemoryStorage] = defaultdict(MemoryStorage)
    states: defaultdict[str, MemoryChatState] = defaultdict(lambda: MemoryChatState(clock=clock))
    return lambda conversation: Chat(logs[conversation], states[conversation])


@pytest.fixture
def open_chat_on_fake(clock: Clock) -> Open:
    """Chats on the fake of the chat model test, which so keeps the same contract as the others."""
    tables = Tables()
    return lambda conversation: _on_dynamodb(conversation, ("messages", "chats"), FakeDynamoDB(tables), clock)


@pytest.fixture
def open_chat_on_moto(moto_table: Any, table_definition: dict[str, Any], template: Template, clock: Clock) -> Open:
    """Chats on moto."""
    names = (table_definition["TableName"], f"chats-{uuid.uuid4().hex}")
    moto_table.create_table(**{**template.tables["ChatTable"], "TableName": names[1]})
    return lambda conversation: _on_dynamodb(conversation, names, default_client(), clock)


@pytest.fixture
def open_chat_on_ministack(ministack: str, ministack_table: tuple[Any, str], template: Template, clock: Clock) -> Open:
    """Chats on MiniStack."""
    client, table = ministack_table
    names = (table, f"chats-{uuid.uuid4().hex}")
    client.create_table(**{**template.tables["ChatTable"], "TableName": names[1]})
    return lambda conversation: _on_dynamodb(conversation, names, connect(ministack), clock)


def _on_dynamodb(conversation: str, names: tuple[str, str], client: Any, clock: Clock) -> Chat:
    return Chat(
        DynamoDBStorage(conversation, table=names[0], client=client, retry=PATIENT),
        DynamoDBChatState(conversation, table=names[1], client=client, retry=PATIENT, clock=clock),
    )


def texts(messages: list[StoredMessage]) -> list[str]:
    """The contents of messages."""
    return [message.content for message in messages]


def queued(state: ChatState, **how: Any) -> list[str]:
    """The contents of the queued messages."""
    return [staged.message.content for staged in state.staged(**{"limit": 1000, **how})]


def incompressible(length: int, seed: int) -> str:
    """A text that compression does not make small."""
    return base64.b85encode(random.Random(seed).randbytes(length)).decode()


def giving(*messages: AgentMessage) -> Any:
    """A handoff strategy that returns these messages."""
    return SimpleNamespace(apply=lambda old: messages)


def drain(chat: Chat, *conditions: Any, limit: int = 40) -> list[str]:
    """Moves the queue to the log by hand, and returns the contents of the messages."""
    drained = []
    while staged := chat.state.staged(limit=limit):
        drained += chat.record([each.message for each in staged], [*conditions, *chat.state.unstaging(staged)])
        chat.state.discard(staged)
    return texts(drained)
