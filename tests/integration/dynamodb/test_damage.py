"""An item that cannot be read raises an error with a code, never a raw exception, and never gives a wrong message."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import AgentMessage, StorageUnavailableError, ToolCall

from tests.support.tables import Table

MANY = [AgentMessage("user", f"m{number}") for number in range(130)]
CALLING = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", {}),))


def damage(table: Table, entry: str, **attributes: Any) -> None:
    """Changes attributes of an item; None removes one."""
    row = next(row for row in table.rows() if row["entry"]["S"].startswith(entry))
    row = {name: value for name, value in {**row, **attributes}.items() if value is not None}
    table.faulty.client.put_item(TableName=table.name, Item=row)


@pytest.mark.parametrize(
    "attributes",
    [
        {"role": None},
        {"content": None},
        {"content": {"B": b"not zlib"}},
        {"at": {"S": "yesterday"}},
        {"at": {"N": "1e40"}},
        {"tool_calls": {"S": "[{"}},
        {"tool_calls": {"S": "7"}},
        {"tool_calls": {"S": '[{"id": "t1"}]'}},
        {"batch": {"S": "one-two"}},
        {"batch": {"N": "1"}},
        {"created_at": {"S": ""}},
    ],
    ids=str,
)
def test_a_damaged_row_is_an_error_with_a_code(on_moto: Table, attributes: dict[str, Any]) -> None:
    log = on_moto.log()
    log.append(CALLING)
    damage(on_moto, "msg#", **attributes)
    for read in (log.all, log.last, lambda: log.last(1), log.to_anthropic, lambda: log.to_openai(last=5)):
        with pytest.raises(StorageUnavailableError) as caught:
            read()
        assert caught.value.code == "ItemDamaged"
        assert caught.value.__suppress_context__, "the cause may quote the item"


@pytest.mark.parametrize(
    ("entry", "attributes"),
    [
        ("msg#", {"index": None}),
        ("msg#", {"index": {"S": "[[0,130],[0]]"}}),
        ("msg#", {"index": {"S": "[[0,7],[0,1]]"}}),
        ("msg#", {"index": {"S": "nothing"}}),
        ("msg#", {"at": None}),
        ("seg#", {"data": {"B": b"not zlib"}}),
        ("seg#", {"data": {"S": "text"}}),
        ("seg#", {"data": None}),
    ],
    ids=str,
)
def test_a_damaged_segment_is_an_error_with_a_code(on_moto: Table, entry: str, attributes: dict[str, Any]) -> None:
    log = on_moto.log()
    log.append_many(MANY)
    damage(on_moto, entry, **attributes)
    for read in (log.all, log.last, lambda: log.last(200)):
        with pytest.raises(StorageUnavailableError) as caught:
            read()
        assert caught.value.code == "ItemDamaged"


def test_a_damaged_counter_is_an_error_with_a_code(on_moto: Table) -> None:
    log = on_moto.log()
    log.add("user", "hi")
    damage(on_moto, "head", count={"S": "many"})
    for call in (log.count, lambda: on_moto.log().add("user", "next")):
        with pytest.raises(StorageUnavailableError) as caught:
            call()
        assert caught.value.code == "ItemDamaged"


def test_a_damaged_key_is_an_error_with_a_code(on_moto: Table) -> None:
    log = on_moto.log()
    log.add("user", "hi", idempotency_key="k")
    damage(on_moto, "key#", digest=None)
    with pytest.raises(StorageUnavailableError) as caught:
        log.add("user", "hi", idempotency_key="k")
    assert caught.value.code == "ItemDamaged"
    assert log.count() == 1
