"""What a log offers to the chat layer: `also` and `on_stored` of append_many."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from messagelog import AgentMessage, MessageLog, OnAppendError, StoredMessage
from messagelog.memory import MemoryAlso, MemoryStorage
from messagelog.storage import AlsoError

TWO = [AgentMessage("user", "one"), AgentMessage("user", "two")]


def test_on_stored_is_called_after_on_append_for_each_message_once() -> None:
    called: list[Any] = []
    log = MessageLog(MemoryStorage(), lambda message: called.append(("on_append", message.seq)))
    for _ in range(2):
        log.append_many(TWO, idempotency_key="k", on_stored=lambda message: called.append(("on_stored", message.seq)))
    assert called == [("on_append", 1), ("on_stored", 1), ("on_append", 2), ("on_stored", 2)]


@pytest.mark.parametrize("failing", ["on_append", "on_stored"])
def test_whichever_raises_both_are_called_for_all(failing: str) -> None:
    called: list[str] = []

    def callback(name: str, message: StoredMessage) -> None:
        called.append(name)
        if name == failing:
            raise RuntimeError(f"{name} {message.seq}")

    log = MessageLog(MemoryStorage(), lambda message: callback("on_append", message))
    with pytest.raises(OnAppendError) as caught:
        log.append_many(TWO, on_stored=lambda message: callback("on_stored", message))
    assert called == ["on_append", "on_stored"] * 2
    assert (caught.value.seqs, str(caught.value.__cause__)) == ((1, 2), f"{failing} 1")
    assert log.count() == 2


def test_also_commits_with_the_messages_or_nothing_does() -> None:
    log, done = MessageLog(MemoryStorage()), []
    also = MemoryAlso(threading.RLock(), lambda: not done, lambda: done.append(1))
    assert log.append_many(TWO, also=[also]) == 2
    with pytest.raises(AlsoError) as caught:
        log.append_many(TWO, also=[MemoryAlso(threading.RLock(), lambda: True), also])
    assert (caught.value.place, done, log.count()) == (1, [1], 2)
