"""Many processes on one conversation: each queued message comes into the log once and in order."""

from __future__ import annotations

import os
import signal
import sys
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest
from messagelog import LeaseLostError, SendRunningError
from messagelog.chat import ChatService

from local.dynamodb import connect
from local.template import Template
from tests.support.chat_processes import (
    Place,
    prepare,
    processes,
    produce,
    send,
    send_all,
    send_with_deadly_tool,
    take_turns,
)
from tests.support.chat_server import ChatServer, Echo, Reply, chat_server
from tests.support.chats import Said, Weather, call, said

PRODUCERS, MESSAGES, SENDERS, TURNS = 10, 6, 2, 5


@pytest.fixture(scope="module", autouse=True)
def import_path() -> Iterator[None]:
    """New processes import from the same places as this one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        yield


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def place(ministack: str, template: Template, server: ChatServer) -> Place:
    client = connect(ministack)
    names = {}
    for table in ("MessageTable", "ChatTable"):
        names[table] = f"{table}-{uuid.uuid4().hex}"
        client.create_table(**{**template.tables[table], "TableName": names[table]})
    return Place(ministack, names["MessageTable"], names["ChatTable"], server.url)


def in_the_log(service: ChatService) -> Said:
    messages = service.chat().log.all()
    assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
    return said(messages)


def crowd(size: int) -> tuple[ProcessPoolExecutor, Any]:
    """A pool of processes that begin together, and the event that tells them that nothing more is queued."""
    done = processes.Event()
    return ProcessPoolExecutor(size, processes, prepare, (processes.Barrier(size), done)), done


def test_ten_processes_queue_while_two_send(place: Place, server: ChatServer) -> None:
    server.otherwise = Echo()
    pool, done = crowd(PRODUCERS + SENDERS)
    with pool:
        producing = [pool.submit(produce, place, producer, MESSAGES) for producer in range(PRODUCERS)]
        sending = [pool.submit(send_all, place) for _ in range(SENDERS)]
        for each in producing:
            each.result()
        done.set()
        turns = sum(each.result() for each in sending)
    log = in_the_log(place.service())
    queued = [content for role, content in log if role == "user"]
    assert len(queued) == PRODUCERS * MESSAGES
    for producer in range(PRODUCERS):
        own = [content for content in queued if content.startswith(f"{producer}.")]
        assert own == [f"{producer}.{number}" for number in range(MESSAGES)]
    assert [role for role, _ in log].count("assistant") == turns
    for (role, content), (_, before) in zip(log[1:], log, strict=False):
        assert role == "user" or content == f"re: {before}", "each answer follows its question"


def test_two_processes_that_send_at_once_never_interleave_a_turn(place: Place, server: ChatServer) -> None:
    server.otherwise = Echo()
    pool, _ = crowd(2)
    with pool:
        for each in [pool.submit(take_turns, place, name, TURNS) for name in "ab"]:
            each.result()
    log = in_the_log(place.service())
    questions, answers = log[::2], log[1::2]
    assert sorted(questions) == sorted(("user", f"{name}.{number}") for name in "ab" for number in range(TURNS))
    assert answers == [("assistant", f"re: {content}") for _, content in questions]


class Held:
    """A reply whose end is held back until the test lets it go on."""

    def __init__(self, text: str = "Ahoy!") -> None:
        self.heard, self.go_on = threading.Event(), threading.Event()
        self.reply = Reply(text, before_end=self._hold)

    def _hold(self) -> None:
        self.heard.set()
        self.go_on.wait(60)


def test_while_a_process_sends_another_is_refused(place: Place, server: ChatServer) -> None:
    held, service = Held(), place.service()
    server.script(held.reply)
    with ProcessPoolExecutor(1, processes) as pool:
        sending = pool.submit(send, place, "one")
        assert held.heard.wait(60)
        with pytest.raises(SendRunningError):
            service.send("two")
        assert service.chat().state.is_running()
        held.go_on.set()
        sending.result()
    assert in_the_log(service) == [("user", "one"), ("assistant", "Ahoy!")]


def test_a_process_that_wakes_up_too_late_cannot_write(place: Place, server: ChatServer) -> None:
    held = Held("too late")
    server.script(held.reply, Reply("in time"))
    with ProcessPoolExecutor(1, processes) as pool:
        sending = pool.submit(send, place, "one")
        assert held.heard.wait(60)
        place.later(65).send("two")
        held.go_on.set()
        with pytest.raises(LeaseLostError):
            sending.result()
    assert in_the_log(place.service()) == [("user", "one"), ("user", "two"), ("assistant", "in time")]


def test_a_process_that_is_killed_in_mid_reply(place: Place, server: ChatServer) -> None:
    held, service = Held(), place.service()
    service.queue().user("queued")
    server.script(held.reply)
    process = processes.Process(target=send, args=(place, "one"))
    process.start()
    assert held.heard.wait(60)
    process.kill()
    process.join(60)
    held.go_on.set()
    service.queue().user("queued meanwhile")
    with pytest.raises(SendRunningError):
        service.send()
    server.script(Reply("Aye."))
    place.later(65).send()
    assert in_the_log(service) == [
        ("user", "queued"),
        ("user", "one"),
        ("user", "queued meanwhile"),
        ("assistant", "Aye."),
    ]


def test_a_process_that_is_killed_between_two_tools(place: Place, server: ChatServer) -> None:
    server.script(Reply(calls=[call("a", "Köln"), call("b", "Bonn"), call("c", "Berlin")]))
    process = processes.Process(target=send_with_deadly_tool, args=(place, "one"))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    service, weather = place.later(65), Weather(lambda args: args["city"])
    service.tools().add(weather)
    server.script(Reply("Aye."))
    service.send("two")
    assert [args["city"] for args in weather.runs] == ["Bonn", "Berlin"]
    roles = [message["role"] for message in server.last_request["messages"][1:]]
    assert roles == ["user", "assistant", "tool", "tool", "tool", "user"]
    assert in_the_log(service)[-1] == ("assistant", "Aye.")
