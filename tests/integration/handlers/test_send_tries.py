"""Events that Lambda delivers again: a turn is done once, and goes on after a failure."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from messagelog import MessageLog, ThrottledError
from messagelog.api import worker
from messagelog.api.worker import DeliveryFailedError
from messagelog.chat import Tool
from messagelog.chat.dynamodb import DynamoDBChatState

from tests.support.chat_functions import Worker, progress, send, turns
from tests.support.chat_server import ChatServer, Cut, Refuse, Reply
from tests.support.http_api import HttpApi


def test_an_event_that_comes_twice_is_one_turn(chat_api: HttpApi, scripted: ChatServer, work: Worker) -> None:
    scripted.script(Reply("Ahoy!"))
    send(chat_api, "Hello!")
    for _ in range(3):
        work.run()
        chat_api.post("enqueue", {"role": "user", "content": "for the next send"})
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


@pytest.mark.parametrize("failure", [Refuse(500), Refuse(401), Cut("Half of an")], ids=["500", "401", "cut"])
def test_the_next_try_goes_on_with_a_failed_turn(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch, failure: Any
) -> None:
    monkeypatch.setattr(worker, "_provider", scripted.provider)  # which never asks twice by itself
    scripted.script(failure, Reply("Ahoy!"))
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError, match="ProviderError: the "):
        work.run()
    assert turns(chat_api) == [("user", "Hello!")]
    assert progress(chat_api) == (False, True), "so that nobody waits for ever"
    work.run()
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]
    assert progress(chat_api) == (False, False)


def test_an_event_repeated_in_mid_turn_runs_no_tool_twice(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda delivers at least once. The second worker fails, so that Lambda tries again when the first may be dead."""
    runs: list[Any] = []

    def pay(args: Any) -> str:
        runs.append(args)
        with pytest.raises(DeliveryFailedError, match="SendRunningError"):
            work.run()
        return "paid"

    setup = ModuleType("paying")
    tools = SimpleNamespace(tools=lambda: [Tool("pay", "Pays.", {"type": "object"}, pay)], tutorial=lambda: None)
    setup.__dict__["setup"] = lambda service: service.tools().add(tools)
    monkeypatch.setitem(sys.modules, "paying", setup)
    monkeypatch.setenv("CHAT_SETUP", "paying:setup")
    scripted.script(Reply("", calls=[("c1", "pay", "{}")]), Reply("Done."))
    send(chat_api, "Pay!")
    work.run()
    assert (turns(chat_api)[-1], runs) == (("assistant", "Done."), [{}])


def test_a_late_event_leaves_the_turn_to_the_newer_send(
    chat_api: HttpApi, state: DynamoDBChatState, work: Worker
) -> None:
    """It took in the same queue, and goes on from the same log."""
    send(chat_api, "Hello!")
    (event,) = work.events
    state.release(state.acquire(event["holder"], seconds=9))
    state.acquire("another", seconds=60, turn="another")
    work.run()
    assert turns(chat_api) == []
    assert [staged.message.content for staged in state.staged(limit=9)] == ["Hello!"]


def test_a_turn_that_lost_its_lease_is_tried_again(
    chat_api: HttpApi, scripted: ChatServer, state: DynamoDBChatState, work: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lambda's next try finds out whether the other has begun a turn in its place."""

    def lose() -> None:
        monkeypatch.setattr(state, "_clock", lambda: time.time() + 3600)
        state.release(state.acquire("another", seconds=60))

    scripted.script(Reply("Too late.", before_end=lose), Reply("Ahoy!"))
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError, match="LeaseLostError"):
        work.run()
    work.run()
    assert turns(chat_api) == [("user", "Hello!"), ("assistant", "Ahoy!")]


def fail_to_count(patch: pytest.MonkeyPatch) -> None:
    def count(*_: object, **__: object) -> int:
        raise ThrottledError("nothing was written, try again later")

    patch.setattr(MessageLog, "count", count)


def fail_to_queue(patch: pytest.MonkeyPatch) -> None:
    def enqueue(*_: object) -> None:
        raise ThrottledError("nothing was written, try again later")

    patch.setattr(DynamoDBChatState, "enqueue", enqueue)


@pytest.mark.parametrize(
    "fail",
    [fail_to_count, fail_to_queue, lambda patch: patch.setenv("CHAT_WORKER_FUNCTION", "Gone")],
    ids=["count", "queue", "worker"],
)
def test_a_send_without_a_worker_leaves_a_failed_turn_open(
    chat_api: HttpApi,
    scripted: ChatServer,
    work: Worker,
    monkeypatch: pytest.MonkeyPatch,
    fail: Callable[[pytest.MonkeyPatch], None],
) -> None:
    scripted.script(Refuse(400), Reply("Ahoy!"))
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError):
        work.run()
    with monkeypatch.context() as patch:
        fail(patch)
        assert send(chat_api, "Well?").status in (429, 502)
    work.run()
    assert turns(chat_api)[-1] == ("assistant", "Ahoy!")
    assert progress(chat_api) == (False, False)
