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
    OnAppendError,
    ProviderError,
    SendRunningError,
    StorageUnavailableError,
    TurnDoneError,
)
from messagelog.chat import Chat, ChatService
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.sending.lease import HeldLease
from messagelog.chat.states.state import Lease

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


def test_a_second_send_is_refused_and_nothing_of_it_is_written(talk: Talk) -> None:
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


class TestResume:
    """A turn that was begun under a name, by who may deliver it again and again."""

    def test_it_is_done_once(self, talk: Talk) -> None:
        service, weather = talk.service(max_tool_call_rounds=1), Weather()
        service.tools().add(weather)
        service.queue().user("u")
        talk.state.acquire("me", seconds=60)
        with pytest.raises(TurnDoneError):
            talk.service().resume("you")
        with pytest.raises(SendRunningError):
            talk.service().send("u")
        talk.server.script(*[Reply(calls=[call("a")])] * 2)
        assert service.resume("me") == talk.log()
        assert not talk.state.is_running()
        service.queue().user("staged since")
        with pytest.raises(TurnDoneError):
            service.resume("me")
        assert (len(weather.runs), len(talk.log())) == (1, 5), "though the calls of the last round wait for the model"

    def test_one_that_broke_off_goes_on(self, talk: Talk) -> None:
        talk.service().queue().user("u")
        talk.state.acquire("me", seconds=60)
        talk.server.script(Refuse(500), Reply("r"))
        with pytest.raises(ProviderError):
            talk.service().resume("me")
        assert talk.state.progress().failed
        assert said(talk.service().resume("me")) == [("assistant", "r")]

    def test_one_whose_hook_raised_is_done(self, talk: Talk) -> None:
        service = talk.service()
        service.queue().user("u")
        service.hook().message("user").do(lambda _: 1 / 0)
        talk.state.acquire("me", seconds=60)
        talk.server.script(Reply("r"))
        with pytest.raises(OnAppendError):
            service.resume("me")
        assert not talk.state.progress().failed

    def test_a_send_that_took_its_place_does_it(self, talk: Talk) -> None:
        talk.service().queue().user("u")
        talk.state.release(talk.state.acquire("me", seconds=60))
        talk.server.script(Reply("r"))
        talk.service().send()
        with pytest.raises(TurnDoneError):
            talk.service().resume("me")
        assert talk.said() == [("user", "u"), ("assistant", "r")]


def test_a_worker_that_is_gone_holds_up_the_next_send_until_its_lease_runs_out(talk: Talk) -> None:
    talk.state.acquire("gone", seconds=60)
    talk.clock.sleep(59)
    with pytest.raises(SendRunningError):
        talk.service().send("u")
    talk.clock.sleep(1)
    talk.server.script(Reply("r"))
    talk.service().send("u")


def test_an_old_holder_that_wakes_up_can_no_longer_write(talk: Talk) -> None:
    old, new = talk.service(), talk.service()
    with sending(talk, old, "one", "too late") as future:
        talk.clock.sleep(61)
        talk.server.script(Reply("in time"))
        new.send("two")
    with pytest.raises(LeaseLostError):
        future.result()
    assert talk.said() == [("user", "one"), ("user", "two"), ("assistant", "in time")]


def test_an_old_holder_leaves_the_lease_of_the_new_one_alone(talk: Talk) -> None:
    old = talk.service()
    with sending(talk, old, "one") as future:
        talk.clock.sleep(61)
        talk.state.acquire("new", seconds=60)
    with pytest.raises(LeaseLostError):
        future.result()
    assert talk.state.is_running()


def test_an_old_holder_writes_nothing_into_a_chat_that_was_cleared_meanwhile(talk: Talk) -> None:
    service, other = talk.service(), talk.chat()
    with sending(talk, service, "one") as future:
        talk.clock.sleep(61)
        other.clear()
    with pytest.raises(LeaseLostError):
        future.result()
    assert other.messages() == []


def test_an_old_holder_runs_no_tool_and_asks_nothing_any_more(talk: Talk) -> None:
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


class Watched(MemoryChatState):
    """Tells of renewals, and fails as it is told."""

    def __init__(self) -> None:
        super().__init__(clock=lambda: 0.0)
        self.renewals = threading.Semaphore(0)
        self.faults: list[Exception] = []
        self.released = False

    def renew(self, lease: Lease, *, seconds: float) -> None:
        self.renewals.release()
        assert not self.released
        if self.faults:
            raise self.faults.pop()
        super().renew(lease, seconds=seconds)

    def release(self, lease: Lease, *, done: bool = False) -> None:
        if self.faults:
            raise self.faults.pop()
        self.released = True
        super().release(lease, done=done)


class TestHeldLease:
    def test_it_is_renewed_again_and_again_also_after_a_failure(self) -> None:
        state = Watched()
        state.faults = [StorageUnavailableError("made up for a test")] * 2
        with HeldLease(state, 0.003):
            for _ in range(5):
                assert state.renewals.acquire(timeout=60)
        assert state.released

    def test_once_lost_it_is_let_go(self) -> None:
        state = Watched()
        state.faults = [LeaseLostError()]
        with HeldLease(state, 0.003) as lease:
            assert state.renewals.acquire(timeout=60)
            lease._keeper.join(60)
            assert not lease._keeper.is_alive()

    def test_a_release_that_fails_is_no_error_of_the_send(self) -> None:
        state = Watched()
        with HeldLease(state, 60):
            state.faults = [StorageUnavailableError("made up for a test")]
        assert not state.released

    def test_nobody_renews_it_after_the_end(self) -> None:
        state = Watched()
        with HeldLease(state, 0.003) as lease:
            assert state.renewals.acquire(timeout=60)
        assert not lease._keeper.is_alive()

    def test_refused_it_is_not_kept(self) -> None:
        state = Watched()
        state.acquire("another", seconds=60)
        with pytest.raises(SendRunningError), HeldLease(state, 0.003):
            pass
        assert not state.released
        assert not [thread for thread in threading.enumerate() if thread.name == "lease"]
