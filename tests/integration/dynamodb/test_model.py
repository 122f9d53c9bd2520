"""All operations and their errors, compared with a model of ten lines: in memory, on moto and on MiniStack."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from messagelog import (
    AgentMessage,
    CodecError,
    ExpectedCountError,
    IdempotencyMismatchError,
    MessageLog,
    ToolCall,
    codec,
)
from messagelog.dynamodb import DynamoDBStorage, segments
from messagelog.memory import MemoryStorage

from tests.support import strategies
from tests.support.logs import numbered
from tests.support.tables import Table


@dataclass
class Model:
    """The expected log."""

    messages: list[AgentMessage] = field(default_factory=list)
    keys: dict[str, tuple[int, str]] = field(default_factory=dict)

    def append(self, batch: list[AgentMessage], expected_count: int | None, key: str | None) -> int | type[Exception]:
        """The expected result: the last seq, or an error."""
        if batch and key in self.keys:
            seq, digest = self.keys[key]
            return seq if digest == codec.digest(batch) else IdempotencyMismatchError
        if expected_count not in (None, len(self.messages)):
            return ExpectedCountError
        self.messages += batch
        if batch and key is not None:
            self.keys[key] = (len(self.messages), codec.digest(batch))
        return len(self.messages)

    def shown(self) -> list[tuple[int, str]]:
        """The expected result of a read of all messages, in the form of `shown`."""
        return [(seq, repr(message)) for seq, message in enumerate(self.messages, 1)]


class Conversation(RuleBasedStateMachine):
    """One conversation that two processes have opened. Each operation is performed by one of them."""

    open_logs: Any  # returns the two logs of a new conversation

    @initialize()
    def open(self) -> None:
        self.logs: list[MessageLog] = self.open_logs()
        self.model = Model()

    @rule(
        process=st.integers(0, 1),
        batch=st.lists(strategies.messages, max_size=4) | st.sampled_from([98, 99, 120]).map(partial(numbered, 1)),
        expected=st.none() | st.integers(-1, 1),
        key=st.none() | st.sampled_from(["k1", "k2"]),
        one=st.booleans(),
    )
    def append(self, process: int, batch: list[AgentMessage], expected: int | None, key: str | None, one: bool) -> None:
        """Appends, with an expected count that differs from the real one by `expected`."""
        count = None if expected is None else max(0, len(self.model.messages) + expected)
        expected_result = self.model.append(batch, count, key)
        log, how = self.logs[process], {"expected_count": count, "idempotency_key": key}

        def done() -> int:
            return log.append(batch[0], **how) if one and len(batch) == 1 else log.append_many(batch, **how)

        if isinstance(expected_result, int):
            assert done() == expected_result
            return
        with pytest.raises(expected_result) as raised:
            done()
        if isinstance(raised.value, ExpectedCountError):
            assert raised.value.count == len(self.model.messages)

    @rule(process=st.integers(0, 1), key=st.none() | st.just("k3"))
    def append_an_invalid_message(self, process: int, key: str | None) -> None:
        good = AgentMessage("user", "good")
        bad = AgentMessage("assistant", "", tool_calls=(ToolCall("t", "f", float("nan")),))
        with pytest.raises(CodecError) as raised:
            self.logs[process].append_many([good, bad, good], idempotency_key=key)
        assert raised.value.path == "messages[1].toolCalls[0].args"

    @rule(process=st.integers(0, 1), number=st.integers(-3, -1))
    def read_a_negative_number(self, process: int, number: int) -> None:
        log = self.logs[process]
        for refused in (
            lambda: log.last(number),
            lambda: log.all(after=number),
            lambda: log.all(limit=number),
            lambda: log.window(last=number),
            lambda: log.newest_first(number),
            lambda: log.add("user", "x", expected_count=number),
        ):
            with pytest.raises(ValueError, match="0 or more"):
                refused()

    @rule(process=st.integers(0, 1), data=st.data())
    def read(self, process: int, data: st.DataObject) -> None:
        log, expected_result = self.logs[process], self.model.shown()
        after = data.draw(st.integers(0, len(expected_result) + 1))
        n = data.draw(st.integers(0, len(expected_result) + 1))
        assert shown(log.all(after=after, limit=n)) == expected_result[after:][:n]
        assert shown(log.all(after=after)) == expected_result[after:]
        assert shown(log.last(n)) == (expected_result[-n:] if n else [])
        assert shown(log.newest_first(n)) == expected_result[::-1][:n]

    @invariant()
    def the_log_is_as_expected(self) -> None:
        log, expected_result = self.logs[0], self.model.shown()
        assert log.count() == len(expected_result)
        assert shown(log.all()) == expected_result
        last = log.last()
        assert shown([last] if last else []) == expected_result[-1:]


def shown(messages: Any) -> list[tuple[int, str]]:
    """The messages of a read, in a form in which 1, 1.0 and True differ."""
    return [(message.seq, repr(codec.parse(codec.to_json(message)))) for message in messages]


def check(open_logs: Any, *, examples: int, steps: int) -> None:
    machine = type("Machine", (Conversation,), {"open_logs": staticmethod(open_logs)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate, Phase.shrink],
        ),
    )


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives segments many blocks, of several parts each."""
    monkeypatch.setattr(segments, "_BLOCK_BYTES", 1_000)
    monkeypatch.setattr(segments, "_PART_BYTES", 100)


def test_a_log_in_memory_matches_the_model() -> None:
    def open_logs() -> list[MessageLog]:
        return [MessageLog(MemoryStorage())] * 2

    check(open_logs, examples=40, steps=20)


@pytest.mark.usefixtures("small_blocks")
def test_a_log_on_moto_matches_the_model(on_moto: Table, moto_table: Any, table_definition: dict[str, Any]) -> None:
    def open_logs() -> list[MessageLog]:
        moto_table.delete_table(TableName=on_moto.name)  # moto copies the whole table for each transaction
        moto_table.create_table(**table_definition)
        return two_processes(on_moto, moto_table)

    check(open_logs, examples=20, steps=12)


@pytest.mark.usefixtures("small_blocks")
def test_a_log_on_ministack_matches_the_model(on_ministack: Table, ministack_table: Any) -> None:
    check(lambda: two_processes(on_ministack, ministack_table[0]), examples=10, steps=10)


def two_processes(table: Table, client: Any) -> list[MessageLog]:
    """A new conversation in two processes. Each has a client, and so remembered counts, of its own."""
    name = uuid4().hex
    return [MessageLog(DynamoDBStorage(name, table=table.name, client=each)) for each in (table.faulty.client, client)]
