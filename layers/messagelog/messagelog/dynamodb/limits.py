"""DynamoDB's limits and prices, as DynamoDB measures them.

Sources: "Quotas in Amazon DynamoDB" (400 KB an item, 100 actions and 4 MB a transaction), "DynamoDB item sizes and
formats" (names and text count as UTF-8 bytes, a number as about half a byte a digit plus one) and "DynamoDB read and
write operations" (one write unit for each started 1 KB).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Item: TypeAlias = Mapping[str, Mapping[str, Any]]

ITEM_BYTES = 400 * 1024
WRITE_UNIT_BYTES = 1024
_TRANSACTION_BYTES = 4 * 1024 * 1024
TRANSACTION_ACTIONS = 100
_OTHER_BYTES = 512 * 1024  # enough for all other actions of an append


def item_size(item: Item) -> int:
    """Returns the size of an item in bytes, never less than DynamoDB's. The values are text, numbers or bytes."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    if "N" in value:
        return len(value["N"]) // 2 + 2
    text = value.get("S")
    return len(value["B"]) if text is None else len(text.encode())


def fit_one_transaction(rows: Sequence[Item], *, others: int) -> bool:
    """Whether one transaction can hold these rows and so many additional small actions."""
    if len(rows) + others > TRANSACTION_ACTIONS:
        return False
    sizes = [item_size(row) for row in rows]
    return max(sizes) <= ITEM_BYTES and sum(sizes) <= _TRANSACTION_BYTES - _OTHER_BYTES


def with_small_content(row: dict[str, Any]) -> dict[str, Any]:
    """Returns the row with its content compressed if that saves at least one write unit, otherwise as it is.

    A long text shrinks to a third or less. A short text stays as it is: compression would not lower the price, and the
    text could not be read in the console.
    """
    size = item_size(row)
    if size <= WRITE_UNIT_BYTES:
        return row
    small = {**row, "content": {"B": zlib.compress(row["content"]["S"].encode())}}
    return small if _write_units(item_size(small)) < _write_units(size) else row


def _write_units(size: int) -> int:
    return -(-size // WRITE_UNIT_BYTES)
