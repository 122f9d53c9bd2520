"""Batches that are stored as segments: a read loads only the blocks it needs, and no unfinished segment is shown."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import AgentMessage, StorageUnavailableError
from messagelog.dynamodb import default_client, segments

from tests.support.faulty import Meanwhile, Ok, Unreachable
from tests.support.item_sizes import dynamodb_size
from tests.support.logs import CJK, noise, numbered
from tests.support.tables import Table

MANY = 5_000
VERY_MANY = 20_000


def sentences(first: int, last: int) -> list[AgentMessage]:
    """User messages of about five tokens each."""
    return [AgentMessage("user", f"message number {number}") for number in range(first, last + 1)]


def received(table: Table) -> list[int]:
    """A list that grows by the size in bytes of the items in each reply to a Query from now on."""
    sizes: list[int] = []

    def remember(parsed: dict[str, Any], **_: Any) -> None:
        sizes.append(sum(map(dynamodb_size, parsed["Items"])))

    table.faulty.client.meta.events.register("after-call.dynamodb.Query", remember)
    return sizes


def test_the_end_of_a_batch_is_read_without_the_rest(on_ministack: Table) -> None:
    """One request gets the row that points at the segment, and one gets a single block."""
    log = on_ministack.log()
    text = noise(500, alphabet=CJK)
    log.append_many([AgentMessage("user", f"{number} {text}") for number in range(MANY)])
    whole = received(on_ministack)
    log.all()
    for read in (
        lambda: log.last(20),
        lambda: log.all(after=MANY - 20),
        lambda: log.all(after=100, limit=20),
        lambda: log.last(),
    ):
        on_ministack.faulty.forget()
        sizes = received(on_ministack)
        read()
        assert on_ministack.faulty.operations == ["Query"] * 2
        assert sum(sizes) < sum(whole[: len(whole) - len(sizes)]) / 5


def test_a_window_of_20000_messages_loads_what_it_returns(on_ministack: Table) -> None:
    log = on_ministack.log()
    log.append_many([AgentMessage("user", noise(60, seed)) for seed in range(VERY_MANY)])
    log.append_many(sentences(11, 22))
    log.append_many(sentences(11, 22))
    on_ministack.faulty.forget()
    sizes = received(on_ministack)
    assert len(log.to_openai(last=20)) == 20
    assert len(log.window(max_tokens=60)) == 12
    assert on_ministack.faulty.operations == ["Query"] * 2
    assert sum(sizes) < 12_000
    sizes.clear()
    assert len(log.window(last=50)) == 50
    window = sum(sizes)
    sizes.clear()
    log.all()
    assert window < sum(sizes) / 5


def test_a_newest_first_read_loads_one_block_at_a_time(on_ministack: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_BLOCK_BYTES", 1_000)
    log = on_ministack.log()
    log.append_many(sentences(1, 2_000))
    on_ministack.faulty.forget()
    reader = log.newest_first()
    assert [next(reader).seq for _ in range(10)] == list(range(2_000, 1_990, -1))
    assert len(on_ministack.faulty.operations) <= 3
    assert [message.seq for message in reader] == list(range(1_990, 0, -1))


def test_a_deleted_part_of_a_segment_is_an_error(on_moto: Table) -> None:
    """The rest must not pass for the log."""
    on_moto.log().append_many(numbered(1, 130))
    (part,) = (row for row in on_moto.rows() if row["entry"]["S"].startswith("seg#"))
    key = {name: part[name] for name in ("conversation", "entry")}
    default_client().delete_item(TableName=on_moto.name, Key=key)
    with pytest.raises(StorageUnavailableError, match="missing"):
        on_moto.log().all()


def test_parts_from_before_a_crash_are_never_seen(on_moto: Table) -> None:
    """A crash leaves some parts of a segment, or all of them, without a row that points at them."""
    log = on_moto.log()
    log.add("user", "first")
    for puts in ([Unreachable()] * 99, [Ok(), *[Unreachable()] * 99]):
        on_moto.faulty.script("PutItem", puts)
        with pytest.raises(StorageUnavailableError):
            log.append_many([AgentMessage("user", noise(300_000, alphabet=CJK))] * 2)
    assert any(row["entry"]["S"].startswith("seg#") for row in on_moto.rows())
    on_moto.faulty.script("PutItem", [])
    for reader in (log, on_moto.other()):
        assert [message.content for message in reader.all()] == ["first"]
        assert [message.content for message in reader.last(9)] == ["first"]
        assert reader.count() == 1
    assert log.append_many(numbered(1, 130)) == 131
    assert [message.seq for message in log.all()] == list(range(1, 132))


def test_a_slow_segment_is_still_committed(on_moto: Table) -> None:
    """Writing the parts may take longer than the budget of the transaction, and another writer may append meanwhile."""
    log = on_moto.warm_log()

    def meanwhile() -> None:
        on_moto.clock.now += 10
        on_moto.other().add("user", "from another writer")

    on_moto.faulty.script("PutItem", [Meanwhile(meanwhile)])
    assert log.append_many(numbered(1, 130)) == 132
    assert len(log.all()) == 132
