"""DynamoDB's limits, in its own measure.

Sources: "Quotas in Amazon DynamoDB" (400 KB an item, 100 actions and 4 MB a transaction) and "DynamoDB item sizes and
formats" (names and text count as UTF-8 bytes, a number about half a byte a digit and one byte).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from messagelog.errors import MessageTooLargeError

ITEM_BYTES = 400 * 1024
TRANSACTION_BYTES = 4 * 1024 * 1024
TRANSACTION_ACTIONS = 100


def item_size(item: Mapping[str, Mapping[str, Any]]) -> int:
    """The size of an item in bytes, never less than DynamoDB counts. The values are text, numbers or bytes."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    if "N" in value:
        return len(value["N"]) // 2 + 2
    text = value.get("S")
    return len(value["B"]) if text is None else len(text.encode())


def check_fits(items: Sequence[Mapping[str, Mapping[str, Any]]]) -> None:
    """Raises MessageTooLargeError if the items, and the counter with them, do not fit one transaction."""
    if len(items) >= TRANSACTION_ACTIONS:
        raise MessageTooLargeError(
            f"a batch holds at most {TRANSACTION_ACTIONS - 1} messages, and this one {len(items)}; nothing was written"
        )
    sizes = [item_size(item) for item in items]
    if max(sizes) > ITEM_BYTES:
        raise MessageTooLargeError(
            f"message {sizes.index(max(sizes)) + 1} of {len(items)} takes {max(sizes)} bytes, and {ITEM_BYTES} is the "
            "limit; nothing was written"
        )
    if sum(sizes) > TRANSACTION_BYTES - ITEM_BYTES // 100:
        raise MessageTooLargeError(
            f"the batch takes {sum(sizes)} bytes, and {TRANSACTION_BYTES} is the limit; nothing was written"
        )
