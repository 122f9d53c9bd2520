"""Sixteen writers append to one conversation, and transactions that overlap conflict. All of them succeed.

The tests count requests and measure no time. Nobody here runs out of time, however slow the machine is.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage, default_client

from tests.support.contention import contended
from tests.support.faulty import Faulty
from tests.support.tables import PATIENT, Table

WRITERS, APPENDS = 16, 4
SECONDS = 0.01  # the length of a transaction, about as on DynamoDB
MOST_TRIES = 8  # the largest average number of transactions for each append; a single writer needs one


@pytest.mark.parametrize("processes", [1, WRITERS], ids=["one process", "a process each"])
def test_all_writers_succeed_within_a_sane_number_of_tries(on_ministack: Table, tmp_path: Path, processes: int) -> None:
    """Writers that share a client share the remembered count, like threads of one process."""
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
    stored = {message.seq: message.content for message in on_ministack.other().all()}
    assert [[stored[seq] for seq in seqs] for seqs in got] == [
        [f"{writer}.{number}" for number in range(APPENDS)] for writer in range(WRITERS)
    ]
    sent = [request for faulty in clients for request in faulty.sent("TransactWriteItems")]
    assert len(sent) > WRITERS * APPENDS, "some transactions overlap"
    assert len(sent) <= MOST_TRIES * WRITERS * APPENDS
