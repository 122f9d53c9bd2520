"""A try that DynamoDB carries out after its reply was given up is never called unwritten."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from messagelog import MessageLog, UnknownOutcomeError
from messagelog.dynamodb import DynamoDBStorage, Retry

from tests.support.clock import Clock
from tests.support.fake_dynamodb import FakeDynamoDB, Tables


class Late:
    """Carries the first transaction out just before a later read, and answers no other transaction."""

    def __init__(self, reads: int) -> None:
        self.reads = reads
        self.held: Callable[[], Any] | None = None

    def deliver(self, operation: str, request: Mapping[str, Any], do: Callable[[], Any]) -> Any:
        if operation == "TransactWriteItems":
            self.held = self.held or do
            raise ReadTimeoutError(endpoint_url="http://dynamodb")
        if self.held:
            self.reads -= 1
            if self.reads == 0:
                self.held()
        return do()


@pytest.mark.parametrize("read", [1, 2, 3])
def test_a_commit_between_two_reads_is_not_denied(read: int) -> None:
    clock, tables = Clock(), Tables()
    client: Any = FakeDynamoDB(tables, Late(read).deliver)
    retry = Retry(clock=clock, sleep=clock.sleep, random=lambda: 0.5)
    log = MessageLog(DynamoDBStorage("c1", table="messages", client=client, retry=retry))
    assert log.count() == 0
    if read < 3:
        assert log.add("user", "a") == 1
    else:
        with pytest.raises(UnknownOutcomeError):
            log.add("user", "a")
