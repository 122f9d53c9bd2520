"""Parts of large texts that cannot be deleted stay: what was written is written, and nobody is told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from random import Random

import pytest
from messagelog import MessageLog
from messagelog.chat import Chat, MessageQueue
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.states.state import System, Window

from tests.support.faulty import throttled
from tests.support.tables import Table

LARGE = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz é漢\n", k=900_000))


@pytest.fixture
def state(on_ministack: Table) -> Iterator[DynamoDBChatState]:
    """A state whose large texts cannot be deleted."""
    yield DynamoDBChatState("c1", table=on_ministack.name, client=on_ministack.faulty.client, retry=on_ministack.retry)
    assert on_ministack.faulty.sent("DeleteItem"), "it was tried"


def test_a_tree_that_replaces_a_large_one_is_written(on_ministack: Table, state: DynamoDBChatState) -> None:
    state.put_system(LARGE, version=0)
    on_ministack.faulty.script("DeleteItem", repeat(throttled()))
    assert state.put_system("{}", version=1) == state.system() == System("{}", 2)


def test_a_clear_is_done(on_ministack: Table, state: DynamoDBChatState) -> None:
    state.put_system(LARGE, version=0)
    on_ministack.faulty.script("DeleteItem", repeat(throttled()))
    state.move(Window(3, 3), system=System())
    assert (state.window(), state.system().tree) == (Window(3, 3), "")


def test_a_queue_is_drained(on_ministack: Table, state: DynamoDBChatState) -> None:
    chat = Chat(MessageLog(on_ministack.storage()), state)
    MessageQueue(state).user(LARGE)
    on_ministack.faulty.script("DeleteItem", repeat(throttled()))
    staged = state.staged(limit=9)
    chat.record([each.message for each in staged], state.unstaging(staged))
    state.discard(staged)
    assert ([message.content for message in chat.messages()], state.staged(limit=9)) == ([LARGE], [])
