"""A row that is missing between others: a read waits for it, and reports damage only if it stays missing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product, repeat

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from messagelog import MessageLog, StorageUnavailableError
from messagelog.dynamodb import default_client

from tests.support.faulty import Meanwhile, Ok, Outcome
from tests.support.hidden_rows import Batches, Rows, batches_of, impatient, log_of, reads_of, shown, write
from tests.support.tables import Table

SEGMENT = 120  # messages that do not fit one transaction


@pytest.mark.parametrize(
    "batches", [batches_of(1, 1, 1, 1, 1), batches_of(1, 3, 1), batches_of(1, 3, 2), batches_of(1, 3, SEGMENT)]
)
def test_a_hole_in_the_middle_is_an_error(on_moto: Table, rows: Rows, batches: Batches) -> None:
    """A row that stays missing although later transactions are stored was lost. The rest must not pass for the log."""
    write(on_moto, batches)
    after, log = log_of(batches), impatient(on_moto)
    for missing in ((2,), (3,), (4,), (2, 3), (2, 3, 4)):
        rows.hide(*missing)
        for name, read in reads_of(3).items():
            with suppress(StorageUnavailableError):
                assert shown(read(log)) == shown(read(after)), f"{name} without {missing}"
        for read in (MessageLog.all, lambda log: list(log.newest_first()), lambda log: log.last(after.count())):
            with pytest.raises(StorageUnavailableError, match="missing") as caught:
                read(log)
            assert (caught.value.is_of_the_stack, caught.value.code) == (True, "MessagesMissing")


def test_a_hole_that_closes_is_not_an_error(on_moto: Table, rows: Rows) -> None:
    batches = batches_of(1, 3, 2)
    write(on_moto, batches)
    after = log_of(batches)
    for missing, (name, read) in product([(2,), (3,), (4,), (2, 3, 4)], reads_of(3).items()):
        rows.hide(*missing)
        on_moto.faulty.script("Query", [Ok(), Meanwhile(rows.put_back)])
        assert shown(read(impatient(on_moto))) == shown(read(after)), f"{name} without {missing}"


@dataclass(frozen=True)
class Replica(Outcome):
    """A replica that lacks these messages until a strong read."""

    rows: Rows
    missing: Sequence[int]

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        if json.loads(request.body or "{}")["ConsistentRead"]:
            self.rows.put_back()
        else:
            self.rows.hide(*self.missing)
        return None


def test_a_stale_replica_is_not_taken_for_damage(on_moto: Table, rows: Rows) -> None:
    batches = batches_of(1, 3, 2)
    write(on_moto, batches)
    after = log_of(batches)
    for missing, read in product([(2,), (4,), (2, 3, 4)], (MessageLog.all, lambda log, **how: log.last(6, **how))):
        on_moto.faulty.script("Query", repeat(Replica(rows, missing)))
        assert shown(read(impatient(on_moto), consistent=False)) == shown(after.all()), f"without {missing}"


def test_missing_parts_of_a_segment_are_read_strongly(on_moto: Table) -> None:
    """With `consistent=False`, a replica may have the row of a segment and still lack its parts."""
    write(on_moto, batches_of(1, SEGMENT))
    client = default_client()
    parts = [item for item in on_moto.rows() if item["entry"]["S"].startswith("seg#")]
    assert parts
    for part in parts:
        client.delete_item(TableName=on_moto.name, Key={name: part[name] for name in ("conversation", "entry")})

    def arrive() -> None:
        for part in parts:
            client.put_item(TableName=on_moto.name, Item=part)

    on_moto.faulty.forget()
    on_moto.faulty.script("Query", [Ok(), Ok(), Meanwhile(arrive)])
    assert [message.seq for message in on_moto.log().all(consistent=False)] == list(range(1, SEGMENT + 2))
    assert [request.parameters["ConsistentRead"] for request in on_moto.faulty.requests] == [False, False, True]


def test_a_reader_has_a_new_budget_for_each_hole(on_moto: Table, rows: Rows) -> None:
    """A slow reader of a busy log may find several holes. Only a hole that stays is damage."""
    write(on_moto, batches_of(1, 3, 1, 3, 1))
    reading = on_moto.log().iter_all()
    rows.hide(3)
    put_back, hide = Meanwhile(rows.put_back), Meanwhile(lambda: rows.hide(7))
    on_moto.faulty.script("Query", [Ok(), put_back, hide, put_back])
    shown = []
    for message in reading:
        shown.append(message.seq)
        on_moto.clock.now += on_moto.retry.budget
    assert shown == list(range(1, 10))
