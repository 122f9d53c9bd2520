"""Sixteen writers on one conversation, on a DynamoDB that refuses transactions that overlap: all of them get through.

Requests are counted; how long it takes is the machine's affair, so nobody here runs out of time.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage, Retry, default_client

from tests.support.contention import contended
from tests.support.faulty import Faulty
from tests.support.tables import Table

PATIENT = Retry(budget=60)
WRITERS, APPENDS = 16, 4
SECONDS = 0.01  # a transaction takes so long, as it does on DynamoDB
MOST_TRIES = 8  # transactions an append, on average; without any others it is one


@pytest.mark.parametrize("processes", [1, WRITERS], ids=["one memory", "a memory each"])
def test_all_writers_get_through_within_a_sane_number_of_tries(
    on_ministack: Table, tmp_path: Path, processes: int
) -> None:
    """Threads that share a client share what it knows of the count, as in one process; others are as processes."""
    clients = [Faulty(default_client(), contended(tmp_path, seconds=SECONDS)) for _ in range(processes)]
    logs = [
        MessageLog(DynamoDBStorage("c1", table=on_ministack.name, client=faulty.client, retry=PATIENT))
        for faulty in (clients * WRITERS)[:WRITERS]
    ]
    start = threading.Barrier(WRITERS)

    def write(writer: int) -> list[int]:
        start.wait()
        return [logs[writer].add("user", f"{writer}.{number}") for number in range(APPENDS)]

    with ThreadPoolExecutor(WRITERS) as pool:
        got = list(pool.map(write, range(WRITERS)))
    assert sorted(seq for seqs in got for seq in seqs) == list(range(1, WRITERS * APPENDS + 1))
    there = {message.seq: message.content for message in on_ministack.other().all()}
    assert [[there[seq] for seq in seqs] for seqs in got] == [
        [f"{writer}.{number}" for number in range(APPENDS)] for writer in range(WRITERS)
    ]
    sent = [request for faulty in clients for request in faulty.sent("TransactWriteItems")]
    assert len(sent) > WRITERS * APPENDS, "they do overlap"
    assert len(sent) <= MOST_TRIES * WRITERS * APPENDS
