"""A send that waits for its turn: it answers with the new messages, or in good time without them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import ThrottledError
from messagelog.api import sending
from messagelog.api.worker import DeliveryFailedError
from messagelog.chat.dynamodb import DynamoDBChatState

from tests.support.chat_functions import CALL, Worker, progress, turns
from tests.support.chat_server import ChatServer, Refuse, Reply
from tests.support.clock import Clock
from tests.support.http_api import HttpApi


@dataclass
class Waiting:
    """Time for a send that waits. It passes while the send sleeps, and `meanwhile` happens in the first pause."""

    clock: Clock = field(default_factory=Clock)
    meanwhile: Callable[[], object] = lambda: None

    def monotonic(self) -> float:
        return self.clock()

    def sleep(self, seconds: float) -> None:
        self.clock.sleep(seconds)
        if len(self.clock.pauses) == 1:
            self.meanwhile()


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    time = Waiting()
    monkeypatch.setattr(sending, "time", time)
    return time


def wait(api: HttpApi, seconds: int) -> Any:
    return api.send("send", body='{"content": "Hello!"}', queryStringParameters={"wait": str(seconds)})


def test_a_waiting_caller_gets_the_new_messages(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting
) -> None:
    chat_api.post("append", {"role": "user", "content": "earlier"})
    scripted.script(Reply("Ahoy!"))
    waiting.meanwhile = work.run
    reply = wait(chat_api, 25)
    assert (reply.status, reply.json["next"]) == (200, None)
    assert (reply.json["running"], reply.json["failed"]) == (False, False)
    assert [(it["seq"], it["content"]) for it in reply.json["messages"]] == [(2, "Hello!"), (3, "Ahoy!")]
    assert len(waiting.clock.pauses) == 1


def test_a_turn_whose_rounds_are_used_up_is_done(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_CHAT_MAX_TOOL_CALL_ROUNDS", "0")
    scripted.script(Reply(calls=[CALL]))
    waiting.meanwhile = work.run
    assert [it["role"] for it in wait(chat_api, 25).json["messages"]] == ["user", "assistant", "tool"]
    work.run()
    assert len(turns(chat_api)) == 3, "and not done again, though the model has not spoken last"


def test_a_turn_that_had_nothing_to_do_is_done(chat_api: HttpApi, work: Worker, waiting: Waiting) -> None:
    waiting.meanwhile = work.run
    reply = chat_api.send("send", body=None, queryStringParameters={"wait": "25"})
    assert (reply.status, reply.json["messages"]) == (200, [])


def test_a_failed_turn_ends_the_wait(chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting) -> None:
    def fail() -> None:
        with pytest.raises(DeliveryFailedError):
            work.run()

    scripted.script(Refuse(400))
    waiting.meanwhile = fail
    reply = wait(chat_api, 25)
    assert (reply.status, reply.json, len(waiting.clock.pauses)) == (202, {"after": 0}, 1)
    assert progress(chat_api) == (False, True)


@pytest.mark.parametrize("read", ["progress", "window"])
def test_a_failing_table_during_a_wait_is_not_an_error(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    """The content is in the queue. After an error, the caller would send it again."""

    def fail(_: object) -> None:
        raise ThrottledError("nothing was written, try again later")

    def meanwhile() -> None:
        work.run()
        monkeypatch.setattr(DynamoDBChatState, read, fail)

    scripted.script(Reply("Ahoy!"))
    waiting.meanwhile = meanwhile
    reply = wait(chat_api, 25)
    assert (reply.status, reply.json) == (202, {"after": 0})


@pytest.mark.parametrize(("timeout", "longest"), [(29, 25), (10, 8)])
def test_a_wait_is_cheap_and_ends_in_time(
    chat_api: HttpApi, work: Worker, waiting: Waiting, timeout: int, longest: int
) -> None:
    chat_api.context = SimpleNamespace(get_remaining_time_in_millis=lambda: timeout * 1000)
    assert (wait(chat_api, 25).status, len(work.events)) == (202, 1)
    assert longest - 1.1 < sum(waiting.clock.pauses) <= longest
    assert len(waiting.clock.pauses) <= 30, "each pause is one read of one small item"
