"""The window of a chat, on every chat state."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from messagelog import AgentMessage, ExpectedCountError, SendRunningError, StoredMessage
from messagelog.chat import MessageQueue, Prompt
from messagelog.chat.states.state import System, Window
from messagelog.storage import Append, ConditionFailedError

from tests.support.chat_states import Open, giving, queued, texts
from tests.support.clock import Clock


def test_an_unknown_chat_is_empty(open_chat: Open) -> None:
    chat = open_chat("nobody")
    assert (chat.messages(), chat.historic_messages(), chat.get_system()) == ([], [], None)
    state = chat.state
    assert (state.window(), state.system(), state.is_running()) == (Window(), System(), False)
    assert (state.last_staged(), list(state.staged(limit=9))) == (None, [])


def test_the_window_moves_for_every_process(open_chat: Open) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    one.user("a")
    other.handoff(giving(AgentMessage("user", "b"), AgentMessage("user", "c")))
    assert (texts(one.historic_messages()), texts(one.messages())) == (["a"], ["b", "c"])
    assert [message.seq for message in one.messages()] == [2, 3]
    one.handoff(giving())
    assert (texts(other.historic_messages()), texts(other.messages())) == (["a", "b", "c"], [])
    other.user("d")
    other.clear_messages()
    one.user("e")
    assert (one.historic_messages(), texts(other.messages())) == ([], ["e"])
    assert texts(one.log.all()) == ["a", "b", "c", "d", "e"]


def test_a_message_during_a_handoff_stops_it(open_chat: Open) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    one.user("a")
    strategy = SimpleNamespace(apply=lambda old: other.user("b") and [AgentMessage("user", "summary of a")])
    with pytest.raises(ExpectedCountError):
        one.handoff(strategy)
    assert (texts(one.messages()), one.historic_messages()) == (["a", "b"], [])


def test_nothing_moves_the_window_while_a_send_runs(open_chat: Open, clock: Clock) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    one.user("a")
    one.system().add(Prompt("p", "text"))
    one.state.acquire("a send", seconds=10)
    strategy = giving(AgentMessage("user", "summary"))
    for refused in (other.clear, other.clear_messages, lambda: other.handoff(strategy)):
        with pytest.raises(SendRunningError):
            refused()
    with pytest.raises(ConditionFailedError):
        other.log.store(Append((AgentMessage("user", "summary"),), conditions=tuple(other.state.moving(Window(0, 1)))))
    assert (texts(other.messages()), other.system().has_content()) == (["a"], True)
    other.user("b")
    MessageQueue(other.state).user("c")
    clock.sleep(10)
    other.handoff(strategy)
    assert (texts(one.historic_messages()), texts(one.messages())) == (["a", "b"], ["summary"])


@pytest.mark.parametrize("result", [[], [AgentMessage("user", "summary of a")]])
@pytest.mark.parametrize("before", [0, 1])
def test_a_handoff_never_undoes_a_clear(open_chat: Open, before: int, result: list[AgentMessage]) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    for _ in range(before):
        one.user("before")
        one.handoff(giving())
    one.user("a")

    def apply(old: list[StoredMessage]) -> list[AgentMessage]:
        other.clear_messages()
        return result

    with pytest.raises(SendRunningError):
        one.handoff(SimpleNamespace(apply=apply))
    assert (one.messages(), one.historic_messages(), one.log.count()) == ([], [], before + 1)


def test_an_empty_cleared_chat_can_be_handed_off(open_chat: Open) -> None:
    chat = open_chat("c1")
    chat.clear()
    chat.handoff(giving())
    chat.user("a")
    chat.handoff(giving(AgentMessage("user", "b")))
    chat.handoff(giving())
    assert (texts(chat.historic_messages()), chat.messages()) == (["a", "b"], [])


def test_conversations_are_separate(open_chat: Open) -> None:
    one, other = open_chat("a"), open_chat("b")
    one.user("x")
    one.system().add(Prompt("p", "text"))
    MessageQueue(one.state).user("y")
    one.state.acquire("a send", seconds=10)
    assert (other.messages(), other.get_system(), queued(other.state)) == ([], None, [])
    other.clear()
    other.state.acquire("another", seconds=10)
    assert texts(one.messages()) == ["x"]
