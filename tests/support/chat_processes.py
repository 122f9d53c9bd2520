"""Functions of the tests that run in processes of their own, on one chat."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier, Event
from typing import Any

from messagelog import MessageLog, SendRunningError
from messagelog.chat import Chat, ChatService
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.providers.openai import OpenAIProvider
from messagelog.dynamodb import DynamoDBStorage

from local.dynamodb import connect
from tests.support.chats import Weather, send_if_due
from tests.support.tables import PATIENT

processes = multiprocessing.get_context("forkserver")
"""Makes processes that have imported this module, and share nothing with the one that runs the tests."""
processes.set_forkserver_preload([__name__])


@dataclass(frozen=True)
class Place:
    """Where a conversation is, and the model that takes part in it."""

    endpoint: str
    messages: str
    chats: str
    model: str

    def service(self, *, clock: Callable[[], float] = time.time) -> ChatService:
        """A service as a new process finds it."""
        client: Any = connect(self.endpoint)
        storage = DynamoDBStorage("c1", table=self.messages, client=client, retry=PATIENT)
        state = DynamoDBChatState("c1", table=self.chats, client=client, retry=PATIENT, clock=clock)
        provider = OpenAIProvider("m", base_url=self.model, api_key="none", max_retries=0)
        return ChatService(Chat(MessageLog(storage), state), provider)

    def later(self, seconds: float) -> ChatService:
        """A service whose clock is ahead."""
        return self.service(clock=lambda: time.time() + seconds)


_start: Barrier
_done: Event


def prepare(start: Barrier, done: Event) -> None:
    """Runs first in each process. None begins before all are ready, and `done` says that nothing more is queued."""
    global _start, _done
    _start, _done = start, done


def produce(place: Place, producer: int, messages: int) -> None:
    """Queues messages, numbered in order."""
    queue = place.service().queue()
    _start.wait(60)
    for number in range(messages):
        queue.user(f"{producer}.{number}")


def send_all(place: Place) -> int:
    """Sends whatever is in the queue until nothing more comes, and returns how often it was this process's turn."""
    service, turns = place.service(), 0
    _start.wait(60)
    while True:
        last = _done.is_set()
        try:
            turns += bool(send_if_due(service))
        except SendRunningError:
            continue
        if last and service.chat().state.last_staged() is None:
            return turns


def take_turns(place: Place, name: str, turns: int) -> int:
    """Sends messages, numbered in order, each until it is its turn; returns how often it was refused."""
    service, refused = place.service(), 0
    _start.wait(60)
    for number in range(turns):
        while True:
            try:
                service.send(f"{name}.{number}")
                break
            except SendRunningError:
                refused += 1
    return refused


def send(place: Place, content: str) -> None:
    """One send."""
    place.service().send(content)


def send_with_deadly_tool(place: Place, content: str) -> None:
    """One send, with a tool that kills the process when it is asked for the weather in Bonn."""

    def work(args: Any) -> str:
        if args["city"] == "Bonn":
            os.kill(os.getpid(), signal.SIGKILL)
        return str(args["city"])

    service = place.service()
    service.tools().add(Weather(work))
    service.send(content)
