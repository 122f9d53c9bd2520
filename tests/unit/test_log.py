"""MessageLog on a storage in memory: the operations it derives from the storage's three methods, and its refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import AgentMessage, CodecError, ExpectedCountError, MessageLog, StoredMessage, ToolCall, codec
from messagelog.memory import MemoryStorage

from tests.support.logs import numbered, seqs

HUGE = 10**30


def filled(count: int) -> MessageLog:
    """A log with the messages m1, m2, m3 …"""
    log = MessageLog(MemoryStorage())
    log.append_many(numbered(1, count))
    return log


class Recorder(MemoryStorage):
    """Records the `consistent` of each read, and how many messages the reads yielded."""

    def __init__(self) -> None:
        super().__init__()
        self.consistent: list[bool] = []
        self.yielded = 0

    def read(self, **how: Any) -> Iterator[StoredMessage]:
        self.consistent.append(how["consistent"])
        for message in super().read(**how):
            self.yielded += 1
            yield message

    def count(self, **how: Any) -> int:
        self.consistent.append(how["consistent"])
        return super().count(**how)


def test_add_is_a_short_form_of_append() -> None:
    log = MessageLog(MemoryStorage())
    assert log.add("user", "hi") == 1
    assert log.append(AgentMessage("assistant", "hello")) == 2
    assert [(m.role, m.content) for m in log.all()] == [("user", "hi"), ("assistant", "hello")]


def test_a_value_and_its_json_form_are_the_same_message() -> None:
    log = MessageLog(MemoryStorage())
    log.append({"role": "assistant", "content": "", "toolCalls": [{"id": "t1", "name": "f", "args": {"q": 1}}]})
    log.append(AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", {"q": 1}),)))
    one, other = log.all()
    assert codec.parse(one) == codec.parse(other)


def test_read_messages_can_be_appended_to_another_log() -> None:
    log, copy = filled(3), filled(1)
    assert copy.append_many(log.all()) == 4
    assert copy.append(codec.to_json(log.all()[0])) == 5
    assert [m.content for m in copy.all()] == ["m1", "m1", "m2", "m3", "m1"]


@given(st.integers(0, 6), st.integers(0, 9), st.none() | st.integers(0, 9))
def test_a_cursor_is_a_seq(count: int, after: int, limit: int | None) -> None:
    log = filled(count)
    expected = [seq for seq in range(1, count + 1) if seq > after][:limit]
    assert seqs(log.all(after=after, limit=limit)) == expected
    assert seqs(list(log.iter_all(after=after, limit=limit))) == expected


@given(st.integers(0, 6), st.integers(0, 9))
def test_the_last_n_are_the_tail_of_all(count: int, n: int) -> None:
    log = filled(count)
    assert log.last(n) == log.all()[max(0, count - n) :]
    assert log.last() == (log.all()[-1] if count else None)


def test_numbers_beyond_all_seqs_are_accepted() -> None:
    log = filled(2)
    assert seqs(log.last(HUGE)) == [1, 2]
    assert seqs(log.all(limit=HUGE)) == [1, 2]
    assert log.all(after=HUGE) == []


@pytest.mark.parametrize("number", [-1, 1.0, True, "1"])
@pytest.mark.parametrize(
    "read",
    [
        lambda log, number: log.last(number),
        lambda log, number: log.all(after=number),
        lambda log, number: log.all(limit=number),
        lambda log, number: log.iter_all(after=number),
        lambda log, number: log.iter_all(limit=number),
    ],
    ids=["last", "all after", "all limit", "iter_all after", "iter_all limit"],
)
def test_an_invalid_number_is_an_error_at_once(read: Callable[[MessageLog, Any], object], number: Any) -> None:
    with pytest.raises(ValueError, match="must be a whole number, 0 or more"):
        read(filled(2), number)


def test_iter_all_reads_while_it_is_consumed() -> None:
    storage = Recorder()
    log = MessageLog(storage)
    log.append_many([AgentMessage("user", "hi")] * 5)
    messages = log.iter_all()
    assert storage.yielded == 0
    assert next(messages).seq == 1
    assert storage.yielded == 1


def test_every_read_is_strongly_consistent_by_default() -> None:
    storage = Recorder()
    log = MessageLog(storage)
    log.add("user", "hi")
    ways: list[dict[str, Any]] = [{}, {"consistent": True}, {"consistent": False}]
    for how in ways:
        storage.consistent.clear()
        log.all(**how)
        list(log.iter_all(**how))
        log.last(**how)
        log.last(2, **how)
        log.count(**how)
        log.to_openai(**how)
        log.to_anthropic(last=1, **how)
        log.to_langchain(max_tokens=9, **how)
        assert storage.consistent == [how.get("consistent", True)] * 8


def test_an_empty_batch_writes_nothing_and_returns_the_count() -> None:
    called: list[StoredMessage] = []
    storage = MemoryStorage()
    assert MessageLog(storage, called.append).append_many([]) == 0
    MessageLog(storage).add("user", "hi")
    assert MessageLog(storage, called.append).append_many(iter(())) == 1
    assert called == []


def test_a_bad_message_refuses_the_whole_batch_with_its_path() -> None:
    called: list[StoredMessage] = []
    log = MessageLog(MemoryStorage(), called.append)
    with pytest.raises(CodecError) as caught:
        log.append_many([AgentMessage("user", "good"), {"role": "user", "content": 1}])
    assert caught.value.path == "messages[1].content"
    assert (log.count(), log.all(), called) == (0, [], [])


def test_a_batch_whose_iterator_raises_is_not_written() -> None:
    def source() -> Iterator[AgentMessage]:
        yield AgentMessage("user", "one")
        raise RuntimeError("the source failed")

    log = MessageLog(MemoryStorage())
    with pytest.raises(RuntimeError):
        log.append_many(source())
    assert log.count() == 0


@pytest.mark.parametrize("batch", ["text", [["role", "user"]]])
def test_an_invalid_batch_is_refused(batch: Any) -> None:
    with pytest.raises(CodecError):
        filled(0).append_many(batch)


@pytest.mark.parametrize("message", [AgentMessage("user", "hi"), {"role": "user", "content": "hi"}], ids=type)
def test_one_message_is_not_accepted_as_a_batch(message: Any) -> None:
    with pytest.raises(TypeError, match="put the message into a list"):
        filled(0).append_many(message)


@pytest.mark.parametrize(
    "storage", ["demo", None, MessageLog(MemoryStorage()), MemoryStorage], ids=["text", "none", "a log", "a class"]
)
def test_an_object_that_is_not_a_storage_is_refused(storage: Any) -> None:
    with pytest.raises(TypeError, match="storage must be a Storage such as DynamoDBStorage"):
        MessageLog(storage)


def test_a_proxy_of_a_storage_is_accepted() -> None:
    class Traced:
        def __getattr__(self, name: str) -> Any:
            return getattr(storage, name)

    storage = MemoryStorage()
    assert MessageLog(Traced()).add("user", "hi") == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["", "k" * 256, 7, b"k", "\ud800"])
def test_an_invalid_idempotency_key_is_an_error_at_once(key: Any) -> None:
    log = filled(1)
    with pytest.raises(ValueError, match="idempotency_key must be a text of 1 to 255 characters"):
        log.add("user", "hi", idempotency_key=key)
    assert log.count() == 1


@pytest.mark.parametrize("count", [-1, 1.0, True, "1"])
def test_an_invalid_expected_count_is_an_error_at_once(count: Any) -> None:
    log = filled(1)
    with pytest.raises(ValueError, match="expected_count must be a whole number, 0 or more"):
        log.add("user", "hi", expected_count=count)
    assert log.count() == 1


def test_an_empty_batch_checks_its_expected_count() -> None:
    log = filled(2)
    assert log.append_many([], expected_count=2) == 2
    with pytest.raises(ExpectedCountError) as caught:
        log.append_many([], expected_count=1)
    assert caught.value.count == 2


def test_an_empty_batch_does_not_use_its_idempotency_key() -> None:
    log = filled(2)
    assert log.append_many([], idempotency_key="k") == 2
    assert log.add("user", "m3", idempotency_key="k") == 3
    assert log.append_many([], idempotency_key="k") == 3


def test_changing_a_read_message_does_not_change_the_log() -> None:
    log = MessageLog(MemoryStorage(), lambda message: spoil(message))
    args = {"list": [1]}
    log.append(AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),)))  # type: ignore[arg-type]
    args["list"].append(2)
    spoil(log.all()[0])
    assert log.all()[0].tool_calls[0].args == {"list": [1]}


def spoil(message: StoredMessage) -> None:
    """Changes the args of the message's call."""
    args: Any = message.tool_calls[0].args
    args["list"].append(3)


def test_the_views_show_the_whole_history() -> None:
    log = filled(3)
    assert [turn["content"] for turn in log.to_openai()] == ["m1", "m2", "m3"]
    assert len(log.to_langchain()) == 3
    assert all(f"m{number}" in json.dumps(log.to_anthropic()) for number in (1, 2, 3))
