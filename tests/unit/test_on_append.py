"""on_append is called once for each message, after the commit. If it raises, the messages stay stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import (
    AgentMessage,
    MessageLog,
    OnAppendError,
    StoredMessage,
)
from messagelog.memory import MemoryStorage

from tests.support import strategies


@given(st.lists(strategies.messages, min_size=1, max_size=3))
def test_on_append_gets_what_a_read_returns(messages: list[AgentMessage]) -> None:
    called: list[StoredMessage] = []
    log = MessageLog(MemoryStorage(), called.append)
    log.append_many(messages)
    log.append(messages[0])
    assert repr(called) == repr(log.all())


def test_on_append_is_called_after_the_commit_of_the_whole_batch() -> None:
    counts: list[tuple[int, int]] = []
    storage = MemoryStorage()
    log = MessageLog(storage, lambda message: counts.append((message.seq, storage.count())))
    log.append_many([AgentMessage("user", "one"), AgentMessage("user", "two")])
    log.add("user", "three")
    assert counts == [(1, 2), (2, 2), (3, 3)]


def test_a_raising_on_append_is_called_for_all_and_reported_once() -> None:
    called: list[int] = []

    def on_append(message: StoredMessage) -> None:
        called.append(message.seq)
        if message.seq in (2, 3):
            raise RuntimeError(f"cannot handle {message.seq}")

    log = MessageLog(MemoryStorage(), on_append)
    log.add("user", "one")
    with pytest.raises(OnAppendError) as caught:
        log.append_many([AgentMessage("user", "the-users-own-words")] * 3)
    assert called == [1, 2, 3, 4]
    assert caught.value.seqs == (2, 3, 4)
    assert str(caught.value.__cause__) == "cannot handle 2"
    assert "the-users-own-words" not in f"{caught.value!r} {caught.value}"
    assert log.count() == 4


def test_a_raising_on_append_does_not_stop_the_log() -> None:
    def on_append(message: StoredMessage) -> None:
        raise RuntimeError

    log = MessageLog(MemoryStorage(), on_append)
    for seq in (1, 2):
        with pytest.raises(OnAppendError) as caught:
            log.add("user", "hi")
        assert caught.value.seqs == (seq,)
    assert [message.seq for message in log.all()] == [1, 2]


def test_on_append_is_not_called_for_a_replayed_append() -> None:
    called: list[int] = []
    log = MessageLog(MemoryStorage(), lambda message: called.append(message.seq))
    for _ in range(2):
        assert log.append_many([AgentMessage("user", "one"), AgentMessage("user", "two")], idempotency_key="k") == 2
        assert log.add("user", "three", idempotency_key="k3") == 3
    assert called == [1, 2, 3]
