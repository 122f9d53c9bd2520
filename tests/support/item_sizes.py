"""How large DynamoDB counts an item, calculated apart from the library."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

_UNIT_BYTES = 1024
Item = Mapping[str, Mapping[str, Any]]


def dynamodb_size(item: Item) -> int:
    """An item's size in bytes, by the rules of "DynamoDB item sizes and formats" in the developer guide."""
    size = 0
    for name, value in item.items():
        size += len(name.encode("utf-8"))
        ((kind, data),) = value.items()
        if kind == "S":
            size += len(data.encode("utf-8"))
        elif kind == "B":
            size += len(data)
        else:  # "(number of UTF-8 bytes of attribute name) + (1 byte per two significant digits) + (1 byte)"
            significant = data.lstrip("-").strip("0") or "0"
            size += -(-len(significant) // 2) + 1 + data.startswith("-")
    return size


def write_units(size: int) -> int:
    """The write units that DynamoDB bills for an item of this size: one for each 1 KB that is begun."""
    return -(-size // _UNIT_BYTES)


def with_raw_bytes(item: Item) -> dict[str, dict[str, Any]]:
    """An item as a request carries it, with its base64 text decoded."""
    return {
        name: {kind: b64decode(data) if kind == "B" else data for kind, data in value.items()}
        for name, value in item.items()
    }
