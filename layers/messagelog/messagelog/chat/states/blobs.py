"""Stores texts of any size in ChatTable: a text that fits is in its item, and a larger one is split into other items.

The parts are written before the item that refers to them. They are deleted only after another item has replaced that
item. After a crash, a refusal or an unknown outcome, there may be parts that nobody reads. Nothing else is left over.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from messagelog.dynamodb.damage import intact
from messagelog.dynamodb.table import ConversationTable
from messagelog.errors import MessageLogError

_PART_BYTES = 350 * 1024  # below DynamoDB's 400 KB for an item, with room for everything else in it


class BlobGoneError(Exception):
    """Parts of a text were deleted."""


class Blobs:
    """The texts of one conversation."""

    def __init__(self, table: ConversationTable) -> None:
        self._table = table

    def write(self, text: str) -> dict[str, Any]:
        """Stores a text, and returns the attributes for the item that it belongs to."""
        data = zlib.compress(text.encode())
        if len(data) <= _PART_BYTES:
            return {"data": {"B": data}}
        blob, count = uuid4().hex, -(-len(data) // _PART_BYTES)
        for number in range(count):
            part = data[number * _PART_BYTES : (number + 1) * _PART_BYTES]
            self._table.put({**self._table.key(_entry(blob, number)), "data": {"B": part}})
        return {"blob": {"S": blob}, "parts": {"N": str(count)}}

    def read(self, item: Mapping[str, Any]) -> str:
        """Returns the text that belongs to an item.

        Raises:
            BlobGoneError: The item was replaced since it was read.
            StorageUnavailableError: The item or a part is damaged.
        """
        if "data" in item:
            return intact(_text_of, [item])
        blob, count = intact(lambda: (item["blob"]["S"], int(item["parts"]["N"])))
        parts = list(self._table.query(_entry(blob, 0), _entry(blob, count - 1)))
        if len(parts) < count:
            raise BlobGoneError
        return intact(_text_of, parts)

    def delete(self, item: Mapping[str, Any]) -> None:
        """Deletes the parts of a text whose item is gone. A part that cannot be deleted stays and does no harm."""
        for number in range(int(item["parts"]["N"]) if "blob" in item else 0):
            with suppress(MessageLogError):
                self._table.delete(_entry(item["blob"]["S"], number))


def _text_of(parts: Sequence[Mapping[str, Any]]) -> str:
    return zlib.decompress(b"".join(part["data"]["B"] for part in parts)).decode()


def _entry(blob: str, number: int) -> str:
    return f"blob#{blob}#{number:06d}"
