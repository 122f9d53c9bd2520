"""A chat under everything that can go wrong at once: nothing is lost, doubled, out of order or blocked.

Each seed is a run of two dozen operations by three hosts: messages are queued, sent directly and over HTTP, workers are
delivered twice, windows move, prompts change. Set `CHAT_MODEL_SEEDS` to try more seeds than a test run has time for.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from messagelog import (
    AgentMessage,
    LeaseLostError,
    MessageLog,
    MessageLogError,
    NotWrittenError,
    ProviderError,
    StoredMessage,
    UnknownOutcomeError,
)
from messagelog.chat import Chat, ChatService, Tool
from messagelog.chat.providers import ContentDelta, Event, Finish, ToolCallDelta
from messagelog.chat.sending.calls import open_calls

from tests.support.chat_world import Host, Op, World

SEEDS = int(os.environ.get("CHAT_MODEL_SEEDS", "0"))
SECONDS = 10.0
FAR = 2**60
SPEAKING = ("enqueue", "send", "begin", "hand_off")


class Simulation:
    """One run. `run` it once."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.world = World(self.rng, self.meanwhile)
        self.ops: list[Op] = []
        self.events: list[str] = []
        self.numbers = count()
        self.left = 30
        self.depth = 0
        self.deeds: Sequence[Callable[[Op], object]] = (
            *[self.enqueue] * 5,
            *[self.send] * 3,
            *[self.begin] * 3,
            *[self.work] * 3,
            self.clear,
            self.clear_messages,
            self.hand_off,
            self.write_prompt,
            self.wait,
        )

    def run(self) -> None:
        with self.world.clocks():
            while self.left > 0:
                self.do(self.rng.choice(self.world.hosts), self.rng.choice(self.deeds))
            self.world.calm()
            self.world.tables.now += 65
            for host in self.world.hosts:
                self.do(host, self.send)
                assert self.ops[-1].outcome == "done", "a send is blocked"
            self.check()

    def meanwhile(self, chance: float = 0.05) -> None:
        """Another host does something, with this chance."""
        if self.depth < 2 and self.left > 0 and self.rng.random() < chance:
            self.do(self.rng.choice(self.world.hosts), self.rng.choice(self.deeds))

    def do(self, host: Host, deed: Callable[[Op], object]) -> None:
        self.left -= 1
        self.depth += 1
        op = Op(deed.__name__, next(self.numbers))
        with self.world.on(host, op):
            try:
                deed(op)
                op.outcome = "done"
            except (UnknownOutcomeError, LeaseLostError):
                op.outcome = "maybe"
            except NotWrittenError:
                op.outcome = "not"
            except MessageLogError:  # the turn failed, and the content is recorded
                op.outcome = "done"
        op.end = next(self.numbers)
        self.ops.append(op)
        self.depth -= 1

    def chat(self) -> Chat:
        return Chat(*self.world.places())

    def service(self) -> ChatService:
        service = ChatService(self.chat(), Model(self))
        pay = Tool("pay", "Pays.", {"type": "object"}, lambda args: f"paid {next(self.numbers)}")
        service.tools().add(SimpleNamespace(tools=lambda: [pay], tutorial=lambda: None))  # type: ignore[arg-type]
        return service

    def enqueue(self, op: Op) -> None:
        self.chat().state.enqueue(AgentMessage("user", op.name + self.padding()))

    def send(self, op: Op) -> None:
        self.service().send(op.name)

    def begin(self, op: Op) -> None:
        """Does the same as the HTTP operation before it invokes the worker."""
        holder, state = uuid4().hex, self.chat().state
        state.acquire(holder, seconds=60)
        state.enqueue(AgentMessage("user", op.name))
        self.events.append(holder)

    def work(self, op: Op) -> None:
        """A worker gets an event, maybe one that another worker got before."""
        if self.events:
            self.service().resume(self.rng.choice(self.events[-2:]))

    def clear(self, op: Op) -> None:
        self.chat().clear()

    def clear_messages(self, op: Op) -> None:
        self.chat().clear_messages()

    def hand_off(self, op: Op) -> None:
        self.chat().handoff(SimpleNamespace(apply=lambda old: [AgentMessage("user", op.name)]))

    def write_prompt(self, op: Op) -> None:
        self.chat().system().prompt("p").set_content(op.name + self.padding())

    def padding(self) -> str:
        """Makes every fourth text too large for its item."""
        return self.rng.choice(["", "", "", f" {self.rng.randbytes(80).hex()}"])

    def wait(self, op: Op) -> None:
        self.world.doze()

    def check(self) -> None:
        storage, state = self.world.places()
        log = MessageLog(storage).all()
        assert state.last_staged() is None
        state.system()  # all of its parts are there
        self.check_contents(log)
        self.check_order(log)
        for op in self.ops:
            writes = {"clear": op.moves, "clear_messages": op.moves, "write_prompt": op.trees}.get(op.kind)
            if writes is not None:
                assert writes in {"done": (1,), "not": (0,), "maybe": (0, 1)}[op.outcome], (op, writes)
        calls = Counter(call.id for message in log for call in message.tool_calls)
        results = Counter(message.tool_call_id for message in log if message.role == "tool")
        assert set(calls.values()) | set(results.values()) <= {1}
        assert open_calls(log) == []

    def check_contents(self, log: Sequence[StoredMessage]) -> None:
        found = Counter(name_in(message) for message in log if message.role in ("user", "assistant"))
        del found[""]
        assert max(found.values()) == 1, "doubled"
        for op in self.ops:
            if op.kind in SPEAKING:
                assert found[op.name] in {"done": (1,), "not": (0,), "maybe": (0, 1)}[op.outcome], op

    def check_order(self, log: Sequence[StoredMessage]) -> None:
        """A message that was acknowledged before another was begun comes before it."""
        ops = {op.name: op for op in self.ops if op.kind in SPEAKING and op.kind != "hand_off"}
        latest = -1
        for op in (ops[name_in(message)] for message in log if name_in(message) in ops):
            acknowledged = op.end if op.outcome == "done" and op.end is not None else FAR
            assert acknowledged > latest, f"{op} comes too late"
            latest = max(latest, op.begin)


def name_in(message: StoredMessage) -> str:
    """The first two words, which name what somebody said."""
    return " ".join(message.content.split(" ")[:2])


class Model:
    """Answers, calls a tool, takes its time, or fails."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        return [{"role": message.role} for message in messages]

    def stream(self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: object) -> Iterator[Event]:
        rng, number = self.simulation.rng, next(self.simulation.numbers)
        self.simulation.world.tables.now += rng.uniform(0.5, 20)
        self.simulation.meanwhile()
        if rng.random() < 0.1:
            self.simulation.world.doze()
        if rng.random() < 0.1 and self.simulation.world.fault_rate:
            raise ProviderError("made up for a test")
        if rng.random() < 0.3:
            yield ToolCallDelta(0, f"call_{number}", "pay", "{}")
        else:
            yield ContentDelta(f"re {number}")
        yield Finish("stop")


def seeds() -> Iterator[int]:
    """As many as are asked for, else as many as fit into the time that a test may take."""
    end = time.monotonic() + SECONDS
    for seed in range(SEEDS) if SEEDS else count():
        if not SEEDS and seed >= 20 and time.monotonic() > end:
            return
        yield seed


def test_nothing_is_lost_doubled_reordered_or_blocked() -> None:
    for seed in seeds():
        try:
            Simulation(seed).run()
        except BaseException as error:
            pytest.fail(f"seed {seed}: {error!r}")
