"""The lease of a send, on every chat state."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from messagelog import AgentMessage, LeaseLostError, SendRunningError
from messagelog.chat import Chat
from messagelog.storage import ConditionFailedError

from tests.support.chat_states import Open, giving, texts
from tests.support.clock import Clock


def test_one_holder_at_a_time_has_the_lease(open_chat: Open, clock: Clock) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    lease = one.acquire("one", seconds=10)
    assert other.is_running()
    with pytest.raises(SendRunningError):
        other.acquire("other", seconds=10)
    again = one.acquire("one", seconds=10)
    assert again.fence > lease.fence
    clock.sleep(9)
    one.renew(again, seconds=10)
    clock.sleep(9)
    with pytest.raises(SendRunningError):
        other.acquire("other", seconds=10)
    one.release(again)
    assert not other.is_running()
    assert other.acquire("other", seconds=10).fence > again.fence


def test_an_earlier_holder_can_do_nothing(open_chat: Open, clock: Clock) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    old = one.state.acquire("one", seconds=10)
    one.record([AgentMessage("user", "in time")], one.state.holding(old))
    clock.sleep(10)
    assert not one.state.is_running()
    new = other.state.acquire("other", seconds=10)
    with pytest.raises(ConditionFailedError) as caught:
        one.record([AgentMessage("user", "late")], one.state.holding(old))
    assert caught.value.place == 0
    with pytest.raises(LeaseLostError):
        one.state.renew(old, seconds=10)
    one.state.release(old)
    assert other.state.is_running()
    other.record([AgentMessage("user", "of the new one")], other.state.holding(new))
    assert texts(one.messages()) == ["in time", "of the new one"]


@pytest.mark.parametrize("move", [Chat.clear, Chat.clear_messages, lambda chat: chat.handoff(giving())])
def test_a_moved_window_keeps_earlier_holders_out(open_chat: Open, clock: Clock, move: Callable[[Chat], None]) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    old = one.state.acquire("one", seconds=10)
    clock.sleep(10)
    move(other)
    with pytest.raises(ConditionFailedError):
        one.record([AgentMessage("assistant", "late")], one.state.holding(old))
    with pytest.raises(LeaseLostError):
        one.state.renew(old, seconds=10)
    assert (one.messages(), other.state.is_running()) == ([], False)
    new = one.state.acquire("one", seconds=10)
    one.record([AgentMessage("assistant", "in time")], one.state.holding(new))


def test_a_released_lease_cannot_be_renewed(open_chat: Open) -> None:
    state = open_chat("c1").state
    lease = state.acquire("one", seconds=10)
    state.release(lease)
    with pytest.raises(LeaseLostError):
        state.renew(lease, seconds=10)
    assert not state.is_running()


def test_a_release_gives_back_only_its_own_lease(open_chat: Open, clock: Clock) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    old = one.acquire("one", seconds=10)
    clock.sleep(10)
    new = other.acquire("other", seconds=10)
    one.release(old)
    with pytest.raises(SendRunningError):
        one.acquire("one", seconds=10)
    other.renew(new, seconds=10)


def test_a_lease_tells_where_the_window_begins(open_chat: Open) -> None:
    chat = open_chat("c1")
    chat.user("a")
    assert chat.state.acquire("one", seconds=10).start == 0
    chat.state.release(chat.state.acquire("one", seconds=10))
    chat.clear_messages()
    assert chat.state.acquire("one", seconds=10).start == 1
