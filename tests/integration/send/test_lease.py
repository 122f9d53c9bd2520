"""One send at a time: the lease is taken, kept, given back, runs out, and fences off who has lost it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from messagelog import (
    LeaseLostError,
    ProviderError,
    SendRunningError,
)
from messagelog.chat import Chat, ChatService

from tests.support.chat_server import Refuse, Reply
from tests.support.chats import Talk, Weather, call, said


@contextmanager
def sending(talk: Talk, service: ChatService, content: str, answer: str = "late") -> Iterator[Any]:
    """A send that waits for the last word of its answer until the block ends; gives what it comes to."""
    asked, end = threading.Event(), threading.Event()
    service.hook().stream("content").max_triggers(1).do(lambda _: asked.set())
    talk.server.script(Reply(answer, before_end=lambda: end.wait(60)))
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(service.send, content)
        try:
            assert asked.wait(60)
            yield future
        finally:
            end.set()


def test_a_second_send_is_refused_and_writes_nothing(talk: Talk) -> None:
    first, second = talk.service(), talk.service()
    with sending(talk, first, "one") as future:
        for service in (first, second):
            with pytest.raises(SendRunningError):
                service.send("two")
    assert said(future.result()) == talk.said() == [("user", "one"), ("assistant", "late")]


@pytest.mark.parametrize("change", [Chat.clear, Chat.clear_messages, lambda chat: chat.handoff(_Nothing())])
def test_a_running_send_keeps_the_window_where_it_is(talk: Talk, change: Any) -> None:
    service, other = talk.service(), talk.chat()
    other.system().prompt("p").set_content("x")
    with sending(talk, service, "one"), pytest.raises(SendRunningError):
        change(other)
    assert len(other.messages()) == 2
    assert other.get_system()


def test_a_service_is_not_cleared_while_it_sends(talk: Talk) -> None:
    service = talk.service()
    service.tools().add(Weather())
    with sending(talk, service, "one"), pytest.raises(SendRunningError):
        service.clear()
    assert service.tools().tools()


class _Nothing:
    def apply(self, messages: object) -> list[Any]:
        return []


def test_when_a_send_is_over_the_next_may_begin(talk: Talk) -> None:
    service = talk.service()
    for _ in range(3):
        talk.server.script(Reply("r"))
        service.send("u")
        assert not talk.state.is_running()


def test_the_lease_is_given_back_when_a_send_fails(talk: Talk) -> None:
    talk.server.script(Refuse(500))
    with pytest.raises(ProviderError):
        talk.service().send("u")
    assert not talk.state.is_running()


def test_a_dead_worker_blocks_until_its_lease_runs_out(talk: Talk) -> None:
    talk.state.acquire("gone", seconds=60)
    talk.clock.sleep(59)
    with pytest.raises(SendRunningError):
        talk.service().send("u")
    talk.clock.sleep(1)
    talk.server.script(Reply("r"))
    talk.service().send("u")


def test_an_earlier_holder_that_wakes_up_cannot_write(talk: Talk) -> None:
    old, new = talk.service(), talk.service()
    with sending(talk, old, "one", "too late") as future:
        talk.clock.sleep(61)
        talk.server.script(Reply("in time"))
        new.send("two")
    with pytest.raises(LeaseLostError):
        future.result()
    assert talk.said() == [("user", "one"), ("user", "two"), ("assistant", "in time")]


def test_an_earlier_holder_leaves_the_new_lease_alone(talk: Talk) -> None:
    old = talk.service()
    with sending(talk, old, "one") as future:
        talk.clock.sleep(61)
        talk.state.acquire("new", seconds=60)
    with pytest.raises(LeaseLostError):
        future.result()
    assert talk.state.is_running()


def test_an_earlier_holder_writes_nothing_after_a_clear(talk: Talk) -> None:
    service, other = talk.service(), talk.chat()
    with sending(talk, service, "one") as future:
        talk.clock.sleep(61)
        other.clear()
    with pytest.raises(LeaseLostError):
        future.result()
    assert other.messages() == []


def test_an_earlier_holder_runs_no_tool_and_asks_nothing(talk: Talk) -> None:
    def sleep_too_long(args: Any) -> str:
        talk.clock.sleep(61)
        talk.state.acquire("another", seconds=60)
        return "done"

    service, weather = talk.service(), Weather(sleep_too_long)
    service.tools().add(weather)
    talk.server.script(Reply(calls=[call("a"), call("b")]))
    with pytest.raises(LeaseLostError):
        service.send("u")
    assert len(weather.runs) == 1
    assert [role for role, _ in talk.said()] == ["user", "assistant"], "not even the first result"


def test_each_step_renews_the_lease(talk: Talk) -> None:
    """Steps of 40 seconds each in a lease of 60, at the end of which nobody else gets it."""

    def work(_: object = None) -> str:
        talk.clock.sleep(40)
        with pytest.raises(SendRunningError):
            talk.state.acquire("another", seconds=60)
        return "done"

    service = talk.service()
    service.tools().add(Weather(work))
    talk.server.script(Reply(calls=[call("a"), call("b")], before_end=work), Reply("r", before_end=work))
    service.send("u")
    assert [content for role, content in talk.said() if role == "tool"] == ["done", "done"]
