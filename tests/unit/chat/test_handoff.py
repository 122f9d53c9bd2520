"""Handing off: what becomes historic, what the chat goes on with, and what may come in between."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import (
    AgentMessage,
    CodecError,
    ExpectedCountError,
    MessageLog,
    SendRunningError,
    StoredMessage,
)
from messagelog.chat import Chat
from messagelog.chat.memory import MemoryChatState
from messagelog.memory import MemoryStorage


def new_chat() -> Chat:
    return Chat(MemoryStorage(), MemoryChatState())


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


def giving(*messages: Any) -> Any:
    """A strategy that goes on with these messages."""
    return SimpleNamespace(apply=lambda old: messages)


def test_a_strategy_gets_the_window_which_becomes_historic() -> None:
    chat, got = new_chat(), []

    class KeepLast:
        def apply(self, messages: list[StoredMessage]) -> list[StoredMessage]:
            got.extend(messages)
            return messages[-1:]

    chat.user("a")
    chat.assistant("b")
    kept = chat.messages()[-1]
    chat.handoff(KeepLast())
    assert texts(got) == texts(chat.historic_messages()) == ["a", "b"]
    (now,) = chat.messages()
    assert (now.content, now.seq, now.origin, now.created_at) == ("b", 3, "model", kept.created_at)
    chat.handoff(giving({"role": "user", "content": "summary"}))
    assert texts(chat.historic_messages()) == ["a", "b", "b"]
    assert texts(chat.messages()) == ["summary"]


def test_a_strategy_gets_no_message_that_stays_in_the_window() -> None:
    class Log(MessageLog):
        def count(self, *, consistent: bool = True) -> int:
            counted = super().count(consistent=consistent)
            self.add("user", "added after the count")
            return counted

    chat, got = Chat(Log(MemoryStorage()), MemoryChatState()), []
    chat.user("a")
    chat.handoff(SimpleNamespace(apply=lambda old: got.extend(old) or []))
    assert texts(got) == texts(chat.historic_messages()) == ["a"]
    assert texts(chat.messages()) == ["added after the count"]


@pytest.mark.parametrize("read", ["count", "window"])
def test_a_handoff_to_nothing_restores_no_cleared_message(monkeypatch: pytest.MonkeyPatch, read: str) -> None:
    chat = new_chat()
    other = Chat(chat.log._storage, chat.state)
    chat.user("a")
    owner = chat.log if read == "count" else chat.state
    look = getattr(owner, read)

    def overtaken() -> object:
        seen = look()
        monkeypatch.undo()
        other.user("secret")
        other.clear_messages()
        return seen

    monkeypatch.setattr(owner, read, overtaken)
    with pytest.raises(SendRunningError):
        chat.handoff(giving())
    assert (chat.messages(), chat.historic_messages()) == ([], [])


def test_a_handoff_calls_no_hook() -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(seen.append)
    chat.user("a")
    chat.handoff(giving(AgentMessage("user", "summary")))
    assert texts(seen) == ["a"]


def test_a_handoff_that_a_message_came_into_changes_nothing() -> None:
    chat = new_chat()
    chat.user("a")

    def apply(messages: list[StoredMessage]) -> list[AgentMessage]:
        chat.user("came in between")
        return [AgentMessage("user", "summary of a")]

    with pytest.raises(ExpectedCountError):
        chat.handoff(SimpleNamespace(apply=apply))
    assert (texts(chat.messages()), chat.historic_messages()) == (["a", "came in between"], [])


def test_a_message_added_during_a_handoff_to_nothing_stays() -> None:
    chat = new_chat()
    chat.user("a")

    def apply(messages: list[StoredMessage]) -> list[AgentMessage]:
        chat.user("came in between")
        return []

    chat.handoff(SimpleNamespace(apply=apply))
    assert (texts(chat.messages()), texts(chat.historic_messages())) == (["came in between"], ["a"])


@pytest.mark.parametrize("bad", [AgentMessage("system", "x"), {"role": "narrator", "content": "x"}, "text"])
def test_a_strategy_that_gives_no_message_changes_nothing(bad: Any) -> None:
    chat = new_chat()
    chat.user("a")
    with pytest.raises(CodecError):
        chat.handoff(giving(AgentMessage("user", "fine"), bad))
    assert (texts(chat.messages()), chat.historic_messages()) == (["a"], [])


def test_clearing_and_handing_off_are_refused_while_a_send_runs() -> None:
    chat, seen, asked = new_chat(), [], []
    chat.user("a")
    chat.hook().message().do(seen.append)
    root = chat.system()
    root.prompt("persona").set_content("You are a pirate.")
    lease = chat.state.acquire("a send", seconds=600)
    strategy = SimpleNamespace(apply=lambda old: asked.append(old) or [AgentMessage("user", "summary")])
    for refused in (chat.clear, chat.clear_messages, lambda: chat.handoff(strategy)):
        with pytest.raises(SendRunningError):
            refused()
    assert (texts(chat.messages()), chat.log.count(), root.has_content(), asked) == (["a"], 1, True, [])
    chat.user("b")
    assert len(seen) == 1
    chat.state.release(lease)
    chat.handoff(strategy)
    assert texts(chat.messages()) == ["summary"]


@pytest.mark.parametrize("result", [[], [AgentMessage("user", "summary")]])
def test_a_send_that_begins_during_a_handoff_is_not_disturbed(result: list[AgentMessage]) -> None:
    chat = new_chat()
    chat.user("a")

    def apply(messages: list[StoredMessage]) -> list[AgentMessage]:
        chat.state.acquire("a send", seconds=600)
        return result

    with pytest.raises(SendRunningError):
        chat.handoff(SimpleNamespace(apply=apply))
    assert (texts(chat.messages()), chat.log.count()) == (["a"], 1)


@pytest.mark.parametrize("clear", [Chat.clear, Chat.clear_messages])
def test_a_slow_clear_restores_no_cleared_message(clear: Callable[[Chat], None]) -> None:
    slow = new_chat()
    other = Chat(slow.log, slow.state)
    other.user("a")

    class Overtaken(MessageLog):
        def count(self, *, consistent: bool = True) -> int:
            counted = super().count(consistent=consistent)
            if not other.historic_messages() and len(other.log.all()) < 3:
                other.user("secret")
                other.handoff(giving(AgentMessage("user", "summary")))
            return counted

    slow.log = Overtaken(slow.log._storage)
    clear(slow)
    assert (other.messages(), other.historic_messages()) == ([], [])
