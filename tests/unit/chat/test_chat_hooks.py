"""The hooks of a chat: they are called after the commit, for every message, also after one of them raised."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from messagelog import (
    AgentMessage,
    MessageLog,
    OnAppendError,
    StoredMessage,
)
from messagelog.chat import Chat, MessageQueue
from messagelog.chat.memory import MemoryChatState
from messagelog.memory import MemoryStorage
from messagelog.storage import ConditionFailedError


def new_chat(on_append: Callable[[StoredMessage], object] | None = None) -> Chat:
    return Chat(MessageLog(MemoryStorage(), on_append), MemoryChatState())


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


def test_hooks_are_called_after_the_commit_in_order() -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(lambda message: seen.append((1, message.seq, chat.log.count())))
    chat.hook().message().do(lambda message: seen.append((2, message.seq, chat.log.count())))
    chat.add_all([AgentMessage("user", "a"), AgentMessage("user", "b")])
    assert seen == [(1, 1, 2), (2, 1, 2), (1, 2, 2), (2, 2, 2)]


def test_a_hook_may_add_to_the_chat() -> None:
    chat = new_chat()
    chat.hook().message("user").do(lambda message: chat.assistant(f"you said {message.content}"))
    assert chat.user("hi") == 1
    assert texts(chat.messages()) == ["hi", "you said hi"]


def test_after_a_hook_raises_all_other_hooks_are_called() -> None:
    told: list[int] = []
    chat, seen = new_chat(lambda message: told.append(message.seq)), []

    def fail(message: StoredMessage) -> None:
        raise RuntimeError(f"no. {message.seq}")

    chat.hook().message().do(fail)
    chat.hook().message().do(seen.append)
    for add in (chat.user, chat.reasoning):
        with pytest.raises(OnAppendError) as caught:
            add("the-users-own-words")
        assert "the-users-own-words" not in f"{caught.value} {caught.value!r}"
    with pytest.raises(OnAppendError) as caught:
        chat.add_all([AgentMessage("user", "c"), AgentMessage("user", "d")])
    assert (caught.value.seqs, str(caught.value.__cause__)) == ((3, 4), "no. 3")
    assert seen == chat.messages()
    assert told == [message.seq for message in seen] == [1, 2, 3, 4]


def test_an_on_append_of_the_log_that_raises_stops_no_hook() -> None:
    def fail(message: StoredMessage) -> None:
        raise RuntimeError

    chat, seen = new_chat(fail), []
    chat.hook().message().do(seen.append)
    with pytest.raises(OnAppendError):
        chat.user("a")
    assert seen == chat.messages()


def test_a_record_commits_with_its_conditions_or_not_at_all() -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(seen.append)
    MessageQueue(chat.state).user("queued")
    staged = chat.state.staged(limit=9)
    drained = [each.message for each in staged]
    stored = chat.record(drained, chat.state.unstaging(staged))
    assert (texts(stored), seen) == (["queued"], [])
    chat.tell(stored)
    with pytest.raises(ConditionFailedError):
        chat.record(drained, chat.state.unstaging(staged))
    assert (texts(chat.messages()), len(seen)) == (["queued"], 1)
