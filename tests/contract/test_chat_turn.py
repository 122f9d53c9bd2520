"""Turns that begin, break off and end, on every chat state."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from messagelog import SendRunningError, TurnDoneError
from messagelog.chat import Chat
from messagelog.chat.states.state import Progress

from tests.support.chat_states import SUMMARY, Open, giving
from tests.support.clock import Clock


def test_a_turn_is_open_until_a_release_ends_it(open_chat: Open) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    assert one.progress() == Progress(running=False, failed=False)
    one.acquire("one", seconds=10)
    first = other.acquire("a worker", seconds=10, turn="one")
    with pytest.raises(SendRunningError):  # the first may be dead: try again later
        one.acquire("another worker", seconds=10, turn="one")
    assert one.progress() == Progress(running=True, failed=False)
    other.release(first)
    assert one.progress() == Progress(running=False, failed=True)
    again = one.acquire("another worker", seconds=10, turn="one")
    one.release(again, done=True)
    assert other.progress() == Progress(running=False, failed=False)
    with pytest.raises(TurnDoneError):
        other.acquire("a worker", seconds=10, turn="one")
    assert not other.is_running()


@pytest.mark.parametrize("turn", [None, "one"])
def test_a_new_turn_ends_the_open_one(open_chat: Open, turn: str | None) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    one.release(one.acquire("one", seconds=10, turn=turn))
    lease = other.acquire("other", seconds=10, turn="other")
    for _ in range(2):
        with pytest.raises(TurnDoneError):
            one.acquire("a worker", seconds=10, turn="one")
        other.release(lease, done=True)


@pytest.mark.parametrize("end", ["given back", "run out"])
def test_a_lease_without_a_turn_ends_no_turn(open_chat: Open, clock: Clock, end: str) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    one.release(one.acquire("one", seconds=10, turn="one"))
    lease = other.acquire("other", seconds=10)
    with pytest.raises(SendRunningError):  # the other may come no further: try again later
        one.acquire("a worker", seconds=10, turn="one")
    if end == "given back":
        other.release(lease)
    else:
        clock.sleep(10)
    assert other.progress() == Progress(running=False, failed=True)
    one.release(one.acquire("a worker", seconds=10, turn="one"), done=True)
    with pytest.raises(TurnDoneError):
        other.acquire("another worker", seconds=10, turn="other")
    assert other.progress() == Progress(running=False, failed=False)


def test_a_late_turn_replaces_the_open_one(open_chat: Open, clock: Clock) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    one.release(one.acquire("one", seconds=10, turn="one"))
    other.acquire("other", seconds=10)
    clock.sleep(10)
    other.release(other.acquire("a worker", seconds=10, turn="other"))
    with pytest.raises(TurnDoneError):
        one.acquire("another worker", seconds=10, turn="one")


def test_a_turn_outlives_a_lease_that_begins_none(open_chat: Open, clock: Clock) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    one.acquire("one", seconds=10)
    clock.sleep(10)
    other.release(other.acquire("other", seconds=10))
    assert one.progress() == Progress(running=False, failed=True)
    one.release(one.acquire("a worker", seconds=10, turn="one"), done=True)
    assert one.progress() == Progress(running=False, failed=False)


def test_a_lease_given_back_unused_is_not_a_failure(open_chat: Open) -> None:
    state = open_chat("c1").state
    state.release(state.acquire("one", seconds=10))
    assert state.progress() == Progress(running=False, failed=False)


def test_a_turn_without_a_worker_is_shown_as_failed(open_chat: Open, clock: Clock) -> None:
    state = open_chat("c1").state
    state.acquire("one", seconds=10)
    clock.sleep(10)
    assert state.progress() == Progress(running=False, failed=True)


@pytest.mark.parametrize(
    "move",
    [
        Chat.clear,
        Chat.clear_messages,
        *(lambda chat, new=new: chat.handoff(giving(*new)) for new in ([], [SUMMARY])),
    ],
    ids=["clear", "clear_messages", "handoff", "handoff to a message"],
)
def test_a_moved_window_ends_a_broken_turn(open_chat: Open, clock: Clock, move: Callable[[Chat], None]) -> None:
    chat = open_chat("c1")
    chat.user("a")
    chat.state.release(chat.state.acquire("one", seconds=10, turn="one"))
    chat.state.acquire("other", seconds=10)
    clock.sleep(10)
    move(chat)
    assert chat.state.progress() == Progress(running=False, failed=False)
    with pytest.raises(TurnDoneError):
        chat.state.acquire("a worker", seconds=10, turn="one")
    assert chat.state.acquire("a worker", seconds=10, turn="other"), "its queue is still there"


def test_a_late_release_ends_no_other_turn(open_chat: Open, clock: Clock) -> None:
    one, other = open_chat("c1").state, open_chat("c1").state
    old = one.acquire("one", seconds=10)
    clock.sleep(10)
    other.acquire("other", seconds=10)
    one.release(old, done=True)
    clock.sleep(10)
    assert other.progress() == Progress(running=False, failed=True)
