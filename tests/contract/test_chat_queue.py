"""The queue of a chat, on every chat state."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, ToolCall, codec
from messagelog.chat import MessageQueue
from messagelog.storage import Append, ConditionFailedError

from tests.support import strategies
from tests.support.chat_states import Open, drain, incompressible, queued, texts


def test_a_queue_keeps_order_and_is_read_in_parts(open_chat: Open) -> None:
    chat = open_chat("c1")
    for number in range(5):
        MessageQueue(chat.state).user(f"{number}")
    last = chat.state.last_staged()
    MessageQueue(chat.state).user("5")
    assert queued(chat.state) == ["0", "1", "2", "3", "4", "5"]
    assert queued(chat.state, limit=2) == ["0", "1"]
    assert queued(chat.state, up_to=last) == ["0", "1", "2", "3", "4"]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(strategies.messages, min_size=1, max_size=3))
def test_a_queued_message_comes_out_equal(open_chat: Open, messages: list[AgentMessage]) -> None:
    chat = open_chat("c1")
    for message in messages:
        chat.state.enqueue(message)
    staged = chat.state.staged(limit=9)
    stored = chat.log.store(
        Append(tuple(each.message for each in staged), conditions=tuple(chat.state.unstaging(staged)))
    ).seq
    assert repr([each.message for each in staged]) == repr(messages)
    assert [codec.parse(each) for each in chat.log.all(after=stored - len(messages))] == messages
    assert queued(chat.state) == []


def test_a_queue_over_400_kb_is_drained_whole(open_chat: Open) -> None:
    chat = open_chat("c1")
    queue = MessageQueue(chat.state)
    for number in range(95):
        queue.user(f"{number}")
    large = [incompressible(length, length) for length in (1_200_000, 800_000, 800_001)]
    for text in large:
        queue.user(text)
    assert drain(open_chat("c1")) == [*map(str, range(95)), *large]
    assert texts(chat.messages()) == [*map(str, range(95)), *large]
    assert queued(chat.state) == []


def test_a_message_is_taken_out_of_the_queue_once(open_chat: Open) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    for text in ("a", "b", "c"):
        MessageQueue(one.state).user(text)
    both = one.state.staged(limit=9)
    first = other.state.staged(limit=1)
    other.record([each.message for each in first], other.state.unstaging(first))
    with pytest.raises(ConditionFailedError) as caught:
        one.record([each.message for each in both], one.state.unstaging(both))
    assert caught.value.place == 0
    assert (texts(one.messages()), queued(one.state)) == (["a"], ["b", "c"])


def test_callers_share_no_object_with_the_state(open_chat: Open) -> None:
    chat, args = open_chat("c1"), {"q": ["x"]}
    chat.hook().message().do(spoil)
    chat.state.enqueue(AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),)))  # type: ignore[arg-type]
    chat.assistant("", [ToolCall("t1", "f", args)])  # type: ignore[arg-type]
    args["q"].append("LATER")
    for staged in chat.state.staged(limit=9):
        spoil(staged.message)
    drain(chat)
    for message in chat.messages():
        spoil(message)
    assert [message.tool_calls[0].args for message in chat.messages()] == [{"q": ["x"]}] * 2


@pytest.mark.parametrize("open_chat", ["memory", "fake", "ministack"], indirect=True)  # moto is not made for threads
def test_producers_and_drains_lose_and_double_nothing(open_chat: Open) -> None:
    produced = threading.Event()

    def produce(name: str) -> None:
        queue = MessageQueue(open_chat("c1").state)
        for number in range(10):
            queue.user(f"{name} {number}")

    def take() -> None:
        chat = open_chat("c1")
        while not produced.is_set() or chat.state.last_staged():
            with suppress(ConditionFailedError):
                drain(chat, limit=7)

    with ThreadPoolExecutor(6) as threads:
        takers = [threads.submit(take) for _ in range(2)]
        try:
            list(threads.map(produce, "abcd"))
        finally:
            produced.set()
        for taker in takers:
            taker.result()
    found = texts(open_chat("c1").messages())
    assert sorted(found) == [f"{name} {number}" for name in "abcd" for number in range(10)]
    for name in "abcd":
        mine = [text for text in found if text.startswith(name)]
        assert mine == sorted(mine)


def test_a_drain_by_hand_and_one_with_a_lease_are_recorded(open_chat: Open) -> None:
    """The record goes forwards, whichever message is drained last."""
    chat = open_chat("c1")
    for text in ("a", "b", "c"):
        MessageQueue(chat.state).user(text)
    first, second, third = chat.state.staged(limit=9)
    chat.record([second.message], chat.state.unstaging([second]))
    lease = chat.state.acquire("one", seconds=10)
    chat.record([first.message], chat.state.unstaging([first], lease))
    chat.record([third.message], open_chat("c1").state.unstaging([third], lease))
    assert (texts(chat.messages()), queued(chat.state)) == (["b", "a", "c"], [])


@pytest.mark.parametrize("message", [0, 1])
def test_a_drain_after_a_lost_lease_takes_nothing(open_chat: Open, message: int) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    for text in ("a", "b"):
        MessageQueue(one.state).user(text)
    staged = one.state.staged(limit=9)
    one.record([staged[1 - message].message], one.state.unstaging([staged[1 - message]]))
    lease = one.state.acquire("one", seconds=10)
    conditions = one.state.unstaging([staged[message]], lease)
    one.state.release(lease)
    other.state.acquire("other", seconds=10)
    with pytest.raises(ConditionFailedError):
        one.record([staged[message].message], conditions)
    assert queued(one.state) == [staged[message].message.content]


def test_a_drain_that_another_drain_overtook_takes_nothing(open_chat: Open) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    for text in ("a", "b"):
        MessageQueue(one.state).user(text)
    first, second = one.state.staged(limit=9)
    conditions = one.state.unstaging([first])
    other.record([second.message], other.state.unstaging([second]))
    with pytest.raises(ConditionFailedError) as caught:
        one.record([first.message], conditions)
    assert caught.value.place == 1, "the record of the drain, after the message"


def test_an_enqueue_comes_after_all_acknowledged_ones(open_chat: Open) -> None:
    """Also if they come from other processes."""
    for number in range(20):
        MessageQueue(open_chat("c1").state).user(str(number))
    assert queued(open_chat("c1").state) == [str(number) for number in range(20)]


def spoil(message: AgentMessage) -> None:
    """Changes what is inside the message's args."""
    args: Any = message.tool_calls[0].args
    args["q"].append("HACK")
