"""A world for the chat model test: hosts whose clocks are wrong, and a network that loses, repeats and delays.

It uses no threads. The actions of other hosts run inside a request of this host, just before or just after the request
itself. So a seed always gives the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.states import blobs
from messagelog.dynamodb import DynamoDBStorage, Retry, clock

from tests.support.fake_dynamodb import FakeDynamoDB, Item, Tables, cancelled, throttled

URL = "http://dynamodb"
SLEEPS = (5, 61, 700, 700)  # seconds: a pause, a lease, the life of a client token


@dataclass(eq=False)
class Host:
    """A machine. Its wall clock is off by `skew` seconds, or stands still; its monotonic clock stops in its sleep."""

    name: str
    skew: float
    is_stopped: bool
    asleep: float = 0.0


@dataclass(eq=False)
class Op:
    """One call of one caller, with the number of moves and prompt trees that it wrote."""

    kind: str
    begin: int
    end: int | None = None
    outcome: str = "maybe"
    moves: int = 0
    trees: int = 0

    @property
    def name(self) -> str:
        """Two words that no other caller says."""
        return f"{self.kind} {self.begin}"


@dataclass(eq=False)
class World:
    """Hosts, their network and what happens in it. `meanwhile` does something on another host."""

    rng: Random
    meanwhile: Callable[..., None] = lambda chance=0.0: None
    tables: Tables = field(default_factory=Tables)

    def __post_init__(self) -> None:
        skews = (0.0, 61.0, 86_400.0, -61.0, -86_400.0)
        self.hosts = [Host(name, self.rng.choice(skews), self.rng.random() < 0.2) for name in "abc"]
        self.clients = {host: FakeDynamoDB(self.tables, self._deliver) for host in self.hosts}
        self.host = self.hosts[0]
        self.op = Op("", 0)
        self.fault_rate = self.rng.choice([0.0, 0.05, 0.15, 0.3])
        self._late: list[tuple[int, Callable[[], object]]] = []
        self._requests = 0
        self.tables.on_write = self._check_write

    @contextmanager
    def clocks(self) -> Iterator[None]:
        """Makes the hosts' clocks those of the library, and texts over 80 bytes large."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("time.time", self.wall)
            patch.setattr("time.time_ns", lambda: int(self.wall() * 1e9))
            patch.setattr(clock, "time", self)
            patch.setattr(blobs, "_PART_BYTES", 80)
            yield

    def wall(self) -> float:
        return 1_800_000_000.0 if self.host.is_stopped else self.tables.now + self.host.skew

    def monotonic(self) -> float:
        return self.tables.now - self.host.asleep

    def sleep(self, seconds: float) -> None:
        self.tables.now += seconds

    @contextmanager
    def on(self, host: Host, op: Op) -> Iterator[None]:
        """Does what follows on another host, for another caller."""
        before = self.host, self.op
        self.host, self.op = host, op
        try:
            yield
        finally:
            self.host, self.op = before

    def places(self) -> tuple[DynamoDBStorage, DynamoDBChatState]:
        """The log and the state of the conversation, as a process on this host finds them."""
        client: Any = self.clients[self.host]
        retry = Retry(random=self.rng.random, clock=self.monotonic, sleep=self.sleep)
        storage = DynamoDBStorage("c1", table="messages", client=client, retry=retry)
        return storage, DynamoDBChatState("c1", table="chats", client=client, retry=retry)

    def calm(self) -> None:
        """Ends all faults, and carries out the requests that are still on their way."""
        self.fault_rate = 0.0
        self.meanwhile = lambda chance=0.0: None
        for _, do in self._late:
            with suppress(ClientError):
                do()
        self._late.clear()

    def doze(self) -> None:
        """The host sleeps, or is only slow."""
        seconds = self.rng.choice(SLEEPS)
        self.tables.now += seconds
        self.host.asleep += seconds * self.rng.choice([0, 1, 1])

    def _deliver(self, operation: str, request: Mapping[str, Any], do: Callable[[], Any]) -> Any:
        host, op = self.host, self.op

        def carry_out() -> Any:
            with self.on(host, op):
                return do()

        self.tables.now += self.rng.uniform(0.001, 0.05)
        self._requests += 1
        self._carry_out_late()
        self.meanwhile()
        if self.rng.random() >= self.fault_rate:
            answer = carry_out()
            self.meanwhile()
            return answer
        return self._fail(operation, request, carry_out)

    def _fail(self, operation: str, request: Mapping[str, Any], do: Callable[[], Any]) -> Any:
        faults = [self._lose_request, self._lose_reply, self._repeat, self._throttle, self._cut, *[self._freeze] * 3]
        if operation == "TransactWriteItems":
            faults += [self._conflict]
            # An entry that comes later than its own drain cannot be recognised: see `staging`.
            faults += [] if "queue#" in str(request["TransactItems"][0]) else [self._delay]
        return self.rng.choice(faults)(do)

    def _lose_request(self, do: Callable[[], Any]) -> Any:
        raise ConnectionClosedError(endpoint_url=URL)

    def _lose_reply(self, do: Callable[[], Any]) -> Any:
        with suppress(ClientError):
            do()
        self.tables.now += 3
        raise ReadTimeoutError(endpoint_url=URL)

    def _freeze(self, do: Callable[[], Any]) -> Any:
        with suppress(ClientError):
            do()
        self.doze()
        for _ in range(3):
            self.meanwhile(0.6)
        raise ConnectionClosedError(endpoint_url=URL)

    def _repeat(self, do: Callable[[], Any]) -> Any:
        with suppress(ClientError):
            do()
        return do()

    def _throttle(self, do: Callable[[], Any]) -> Any:
        raise throttled()

    def _cut(self, do: Callable[[], Any]) -> Any:
        raise EndpointConnectionError(endpoint_url=URL)

    def _conflict(self, do: Callable[[], Any]) -> Any:
        raise cancelled("TransactionConflict")

    def _delay(self, do: Callable[[], Any]) -> Any:
        """It is carried out up to three requests later, also after its own retry."""
        self._late.append((self._requests + self.rng.choice([1, 2, 3]), do))
        self.tables.now += 3
        raise ReadTimeoutError(endpoint_url=URL)

    def _carry_out_late(self) -> None:
        due = [do for at, do in self._late if at <= self._requests]
        self._late = [(at, do) for at, do in self._late if at > self._requests]
        for do in due:
            with suppress(ClientError):
                do()

    def _check_write(self, entry: str, old: Item, new: Item) -> None:
        if entry == "system":
            self.op.trees += 1
        if entry == "state":
            self.op.moves += _text(old, "moved") != _text(new, "moved")
            self._check_state(old, new)

    def _check_state(self, old: Item, new: Item) -> None:
        """No lease is taken while it runs, and none is longer than it may be. Nothing goes backwards."""
        now = 1000 * self.tables.now
        assert _number(new, "lease_end") <= now + 62_000, "a lease that blocks for too long"
        for name in ("cleared", "start", "fence"):
            assert _number(new, name) >= _number(old, name), name
        assert _text(new, "drained") >= _text(old, "drained")
        if _number(new, "fence") == _number(old, "fence") or _number(old, "lease_end") <= now:
            return
        is_for_the_holder = _text(new, "turn") == _text(old, "holder") and self.op.kind == "work"
        is_same_holder = _number(new, "lease_end") > 0 and _text(new, "holder") == _text(old, "holder")
        assert is_same_holder or is_for_the_holder, "a lease that still runs was taken"


def _number(item: Item, name: str) -> int:
    return int(item.get(name, {"N": "0"})["N"])


def _text(item: Item, name: str) -> str:
    return str(item.get(name, {"S": ""})["S"])
