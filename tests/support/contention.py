"""Transactions that overlap on one conversation conflict, as on DynamoDB.

MiniStack runs one call at a time, so its transactions never overlap by themselves.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from tests.support.faulty import Ok, Outcome, Request, cancelled


@dataclass
class _Overlapping(Outcome):
    """Done after `seconds`, unless another transaction is in progress. A lock on the file says so to all processes."""

    file: IO[bytes]
    seconds: float
    actions: int

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.file.close()
            time.sleep(self.seconds / 2)
            return cancelled("TransactionConflict", *["None"] * (self.actions - 1)).send(request)
        time.sleep(self.seconds)
        return None

    def receive(self) -> None:
        self.file.close()


def contended(folder: Path, *, seconds: float) -> Callable[[Request], Outcome]:
    """Chooses outcomes for `Faulty`: requests take time, and a transaction that overlaps another one conflicts.

    "Transaction conflict handling in DynamoDB" in the developer guide: a TransactWriteItems request fails with
    TransactionConflict while another one on the same item is in progress.

    Args:
        folder: A folder for the locks.
        seconds: How long a transaction takes; other requests take half as long.
    """

    def choose(request: Request) -> Outcome:
        if request.operation != "TransactWriteItems":
            time.sleep(seconds / 2)
            return Ok()
        actions = request.parameters["TransactItems"]
        conversation = actions[0]["Update"]["Key"]["conversation"]["S"]
        return _Overlapping((folder / conversation).open("ab"), seconds, len(actions))

    return choose
