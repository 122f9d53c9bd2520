"""The chat layer's part of a log: `write`, `notify` with more listeners, and conditions on an append."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from messagelog import AgentMessage, MessageLog, OnAppendError, StoredMessage
from messagelog.log import notify
from messagelog.memory import MemoryCondition, MemoryStorage
from messagelog.storage import Append, ConditionFailedError

TWO = (AgentMessage("user", "one"), AgentMessage("user", "two"))


def test_write_calls_nobody_and_store_calls_on_append() -> None:
    called: list[int] = []
    log = MessageLog(MemoryStorage(), lambda message: called.append(message.seq))
    assert log.write(Append(TWO)).seq == 2
    assert called == []
    assert log.store(Append(TWO)).seq == 4
    assert called == [3, 4]


def test_listeners_are_called_message_by_message_but_once() -> None:
    called: list[Any] = []
    log = MessageLog(MemoryStorage())
    for _ in range(2):
        stored = log.write(Append(TWO, idempotency_key="k")).stored
        notify(
            [lambda message: called.append((1, message.seq)), lambda message: called.append((2, message.seq))], stored
        )
    assert called == [(1, 1), (2, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize("failing", ["first", "second"])
def test_all_listeners_are_called_if_one_of_them_raises(failing: str) -> None:
    called: list[str] = []

    def listener(name: str, message: StoredMessage) -> None:
        called.append(name)
        if name == failing:
            raise RuntimeError(f"{name} {message.seq}")

    stored = MessageLog(MemoryStorage()).write(Append(TWO)).stored
    with pytest.raises(OnAppendError) as caught:
        notify([lambda message: listener("first", message), lambda message: listener("second", message)], stored)
    assert called == ["first", "second"] * 2
    assert (caught.value.seqs, str(caught.value.__cause__)) == ((1, 2), f"{failing} 1")


def test_conditions_and_messages_commit_together_or_not_at_all() -> None:
    log, done = MessageLog(MemoryStorage()), []
    once = MemoryCondition(threading.RLock(), lambda: not done, lambda: done.append(1))
    assert log.store(Append(TWO, conditions=(once,))).seq == 2
    with pytest.raises(ConditionFailedError) as caught:
        log.store(Append(TWO, conditions=(MemoryCondition(threading.RLock(), lambda: True), once)))
    assert (caught.value.place, done, log.count()) == (1, [1], 2)


def test_an_append_takes_at_most_fifty_conditions() -> None:
    condition = MemoryCondition(threading.RLock(), lambda: True)
    assert MessageLog(MemoryStorage()).write(Append(TWO, conditions=(condition,) * 50)).seq == 2
    with pytest.raises(ValueError, match="at most 50 conditions"):
        Append(TWO, conditions=(condition,) * 51)
