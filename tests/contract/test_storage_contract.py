"""The promises of `messagelog.storage.Storage`, as one class that runs on each storage."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, ExpectedCountError, IdempotencyMismatchError, ToolCall, codec
from messagelog.storage import Append, Appended, Storage

from tests.contract.conftest import Open
from tests.support import strategies
from tests.support.logs import noise, numbered, seqs


def contents(storage: Storage, **how: Any) -> list[str]:
    return [message.content for message in storage.read(**how)]


def put(storage: Storage, messages: Sequence[AgentMessage], **how: Any) -> Appended:
    return storage.append(Append(tuple(messages), **how))


class TestStorage:
    def test_an_unknown_conversation_is_empty(self, open_storage: Open) -> None:
        storage = open_storage("nobody")
        for consistent in (True, False):
            assert storage.count(consistent=consistent) == 0
            assert list(storage.read(consistent=consistent)) == []
            assert list(storage.read(newest_first=True, limit=3, consistent=consistent)) == []

    def test_seqs_continue_from_append_to_append(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        appended = [[m.seq for m in put(storage, numbered(1, size)).stored] for size in (1, 1, 3, 1)]
        assert appended == [[1], [2], [3, 4, 5], [6]]
        assert seqs(storage.read()) == [1, 2, 3, 4, 5, 6]
        assert storage.count() == 6

    def test_append_returns_the_messages_that_a_read_returns(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        stored = [*put(storage, numbered(1, 2)).stored, *put(storage, numbered(3, 3)).stored]
        assert list(storage.read()) == stored
        assert list(open_storage("c1").read()) == stored

    def test_at_is_the_time_of_the_append(self, open_storage: Open) -> None:
        before = datetime.now(UTC)
        (stored,) = put(open_storage("c1"), numbered(1, 1)).stored
        assert before <= stored.at <= datetime.now(UTC)
        assert stored.at.tzinfo is UTC

    def test_a_range_can_be_read_from_both_ends(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        put(storage, numbered(1, 2))
        put(storage, numbered(3, 5))
        for after, limit, backward in itertools.product([0, 1, 4, 5, 6, 10**13], [None, 1, 3, 4, 5, 6, 10**9], [0, 1]):
            expected = [seq for seq in range(1, 6) if seq > after][:: -1 if backward else 1][:limit]
            read = storage.read(after=after, limit=limit, newest_first=bool(backward))
            assert seqs(read) == expected, (after, limit, backward)

    def test_seqs_are_ordered_as_numbers_not_as_texts(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        put(storage, numbered(1, 9))
        put(storage, numbered(10, 12))
        assert contents(storage) == [f"m{number}" for number in range(1, 13)]
        assert contents(storage, newest_first=True, limit=1) == ["m12"]
        assert put(storage, numbered(13, 13)).seq == 13

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(messages=st.lists(strategies.messages, min_size=1, max_size=4))
    def test_every_message_is_read_back_equal(self, open_storage: Open, messages: list[AgentMessage]) -> None:
        storage = open_storage("c1")
        stored = list(put(storage, messages).stored)
        assert repr(list(storage.read(after=stored[0].seq - 1))) == repr(stored)
        assert [codec.parse(message) for message in stored] == messages

    def test_a_reader_may_change_the_args_it_gets(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        args: Any = {"list": [1]}
        put(storage, [AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),))])
        args["list"].append(2)
        read: Any = next(iter(storage.read())).tool_calls[0].args
        read["list"].append(3)
        assert next(iter(storage.read())).tool_calls[0].args == {"list": [1]}

    def test_conversations_are_separate(self, open_storage: Open) -> None:
        for conversation in ("a", "b", "a#b", "a b", "ä", "A"):
            assert put(open_storage(conversation), [AgentMessage("user", conversation)]).seq == 1
        for conversation in ("a", "b", "a#b", "a b", "ä", "A"):
            assert contents(open_storage(conversation)) == [conversation]

    @pytest.mark.parametrize(
        "conversation", ['"', "a\\b", "#&=%20", "漢字😀", "...", "head", "msg#000000000001", "x" * 256]
    )
    def test_printable_text_can_name_a_conversation(self, open_storage: Open, conversation: str) -> None:
        put(open_storage(conversation), numbered(1, 2))
        assert contents(open_storage(conversation)) == ["m1", "m2"]

    def test_a_process_with_an_old_count_appends_after_the_real_one(self, open_storage: Open) -> None:
        one, other = open_storage("c1"), open_storage("c1")
        put(one, numbered(1, 1))
        put(other, numbered(2, 3))
        put(one, numbered(4, 4))
        put(one, numbered(5, 5))
        put(other, numbered(6, 6))
        assert contents(one) == contents(other) == [f"m{number}" for number in range(1, 7)]

    def test_an_append_checks_its_expected_count(self, open_storage: Open) -> None:
        one, other = open_storage("c1"), open_storage("c1")
        assert put(one, numbered(1, 2), expected_count=0).seq == 2
        for wrong in (0, 1, 3):
            with pytest.raises(ExpectedCountError) as caught:
                put(other, numbered(3, 3), expected_count=wrong)
            assert caught.value.count == 2
        assert put(other, numbered(3, 3), expected_count=2).seq == 3
        assert contents(one) == ["m1", "m2", "m3"]

    def test_an_idempotency_key_appends_once(self, open_storage: Open) -> None:
        one, other = open_storage("c1"), open_storage("c1")
        first = put(one, numbered(1, 2), idempotency_key="k")
        put(one, numbered(3, 3))
        again = put(other, numbered(1, 2), idempotency_key="k")
        assert (first.seq, again.seq, list(again.stored)) == (2, 2, [])
        with pytest.raises(IdempotencyMismatchError):
            put(other, numbered(1, 1), idempotency_key="k")
        assert put(other, numbered(4, 4), idempotency_key="other").seq == 4
        assert put(open_storage("c2"), numbered(1, 1), idempotency_key="k").seq == 1
        assert contents(one) == ["m1", "m2", "m3", "m4"]

    def test_a_used_key_is_checked_before_an_expected_count(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        put(storage, numbered(1, 1), expected_count=0, idempotency_key="k")
        assert put(storage, numbered(1, 1), expected_count=0, idempotency_key="k").seq == 1
        assert contents(storage) == ["m1"]

    def test_a_batch_of_any_size_is_stored_as_one(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        put(storage, numbered(1, 1))
        assert put(storage, numbered(2, 600)).seq == 600
        assert put(storage, numbered(601, 601)).seq == 601
        assert contents(storage) == [f"m{number}" for number in range(1, 602)]
        assert contents(storage, after=300, limit=2) == ["m301", "m302"]
        assert contents(storage, newest_first=True, limit=3) == ["m601", "m600", "m599"]

    def test_a_large_message_is_stored_whole(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        text = noise(1_500_000)
        put(storage, [AgentMessage("user", "漢" * 140_000), AgentMessage("user", text)])
        assert contents(storage) == ["漢" * 140_000, text]

    def test_messages_that_fill_several_pages_are_read_whole(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        texts = [noise(180_000, seed) for seed in range(12)]
        for text in texts:
            put(storage, [AgentMessage("user", text)])
        assert contents(storage) == texts
        assert contents(storage, newest_first=True, limit=7) == texts[:-8:-1]
        assert contents(storage, after=2, limit=8) == texts[2:10]

    def test_a_reader_may_be_slow(self, open_storage: Open) -> None:
        storage = open_storage("c1")
        put(storage, numbered(1, 3))
        reader = iter(storage.read())
        assert next(reader).seq == 1
        put(storage, numbered(4, 4))
        assert [message.seq for message in reader][:2] == [2, 3]

    @pytest.mark.parametrize("open_storage", ["memory", "ministack"], indirect=True)  # moto is not safe for threads
    def test_concurrent_writers_lose_nothing(self, open_storage: Open) -> None:
        storages = [open_storage("c1") for _ in range(4)]
        failures: list[Exception] = []

        def write(writer: int) -> None:
            try:
                for number in range(5):
                    put(storages[writer], [AgentMessage("user", f"{writer}.{number}.{part}") for part in (0, 1)])
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert seqs(storages[0].read()) == list(range(1, 41))
        written = contents(storages[0])
        batches = list(zip(written[::2], written[1::2], strict=True))
        assert all(second == first[:-1] + "1" for first, second in batches)
        for writer in range(4):
            mine = [first for first, _ in batches if first.startswith(f"{writer}.")]
            assert mine == [f"{writer}.{number}.0" for number in range(5)]
