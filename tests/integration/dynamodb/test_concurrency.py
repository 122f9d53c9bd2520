"""Many writers append to one conversation. Every message gets a seq of its own, none is lost, and order is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from messagelog import AgentMessage, MessageLog
from messagelog.dynamodb import DynamoDBStorage

from local.dynamodb import connect
from tests.support.logs import seqs
from tests.support.tables import PATIENT, Table

WRITERS, APPENDS = 8, 25


def at_once(write: Callable[[int], list[int]], writers: int) -> list[list[int]]:
    """Calls `write(writer)` for all writers at the same moment, and returns the results."""
    start = threading.Barrier(writers)

    def run(writer: int) -> list[int]:
        start.wait()
        return write(writer)

    with ThreadPoolExecutor(writers) as pool:
        return list(pool.map(run, range(writers)))


@pytest.mark.parametrize("processes", [1, WRITERS], ids=["one process", "a process each"])
def test_concurrent_writers_lose_and_mix_up_nothing(on_ministack: Table, ministack: str, processes: int) -> None:
    """Writers that share a client share the remembered count, like threads of one process."""
    clients = [connect(ministack) for _ in range(processes)]
    logs = [
        MessageLog(DynamoDBStorage("c1", table=on_ministack.name, client=clients[writer % processes], retry=PATIENT))
        for writer in range(WRITERS)
    ]
    got = at_once(lambda writer: [logs[writer].add("user", f"{writer}.{n}") for n in range(APPENDS)], WRITERS)
    messages = on_ministack.other().all()
    assert seqs(messages) == list(range(1, WRITERS * APPENDS + 1))
    by_seq = {message.seq: message.content for message in messages}
    for writer, own in enumerate(got):
        assert own == sorted(own)
        assert [by_seq[seq] for seq in own] == [f"{writer}.{n}" for n in range(APPENDS)]
    assert on_ministack.other().count() == WRITERS * APPENDS


def test_concurrent_batches_stay_whole(on_ministack: Table, ministack: str) -> None:
    def write(writer: int) -> list[int]:
        storage = DynamoDBStorage("c1", table=on_ministack.name, client=connect(ministack), retry=PATIENT)
        batches = [[AgentMessage("user", f"{writer}.{n}.{part}") for part in range(n + 1)] for n in range(5)]
        return [MessageLog(storage).append_many(batch) for batch in batches]

    got = at_once(write, 4)
    contents = [message.content for message in on_ministack.other().all()]
    assert len(contents) == 4 * (1 + 2 + 3 + 4 + 5)
    for writer, lasts in enumerate(got):
        for n, last in enumerate(lasts):
            assert contents[last - n - 1 : last] == [f"{writer}.{n}.{part}" for part in range(n + 1)]


def test_readers_see_a_log_that_grows_and_has_no_hole(on_ministack: Table, ministack: str) -> None:
    done = threading.Event()
    storage = DynamoDBStorage("c1", table=on_ministack.name, client=connect(ministack), retry=PATIENT)

    def write() -> None:
        for n in range(30):
            MessageLog(storage).append_many([AgentMessage("user", f"{n}.{part}") for part in range(3)])
        done.set()

    def read() -> list[list[int]]:
        log = on_ministack.other(client=connect(ministack))
        seen = []
        while not done.is_set():
            seen.append(seqs(log.all()))
        return seen

    with ThreadPoolExecutor(2) as pool:
        reader = pool.submit(read)
        pool.submit(write).result()
        seen = reader.result()
    lengths = [len(shown) for shown in seen]
    assert lengths == sorted(lengths)
    assert all(shown == list(range(1, len(shown) + 1)) and len(shown) % 3 == 0 for shown in seen)


@pytest.mark.parametrize("size", [1, 2, 300])
def test_of_writers_with_the_same_key_one_writes(on_ministack: Table, ministack: str, size: int) -> None:
    batch = [AgentMessage("user", f"m{n}") for n in range(size)]

    def write(writer: int) -> list[int]:
        storage = DynamoDBStorage("c1", table=on_ministack.name, client=connect(ministack), retry=PATIENT)
        return [MessageLog(storage).append_many(batch, idempotency_key="k")]

    assert at_once(write, 6) == [[size]] * 6
    assert on_ministack.other().count() == size
