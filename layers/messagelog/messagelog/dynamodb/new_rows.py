"""The rows that an append puts: one for each message, or a single one that points at a segment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from messagelog.dynamodb import items, keys, segments
from messagelog.dynamodb.limits import item_size, with_small_content
from messagelog.dynamodb.table import ConversationTable
from messagelog.messages import AgentMessage


def rows_of(
    table: ConversationTable, messages: Sequence[AgentMessage], at: datetime, nonce: bytes
) -> list[dict[str, Any]]:
    """Returns a row for each message. Its key and batch are set later, without a change of its size."""
    blank = table.key(keys.message_entry(0))
    if len(messages) > 1:
        blank["batch"] = {"S": f"{keys.MAX_SEQ}-{keys.MAX_SEQ}"}
    rows = [{**blank, **items.to_item(message, at)} for message in messages]
    rows[0]["nonce"] = {"B": nonce}
    return [with_small_content(row) for row in rows]


def segment_row(
    table: ConversationTable, messages: Sequence[AgentMessage], at: datetime, nonce: bytes
) -> dict[str, Any]:
    """Writes the messages as a segment, and returns the row that will point at it."""
    segment = uuid4().hex
    index, parts = segments.pack(messages)
    for number, data in enumerate(parts):
        part = {**table.key(keys.part_entry(segment, number)), "data": {"B": data}}
        table.put(part)
        table.counters.bytes += item_size(part)
    return {
        "at": {"N": str(items.micros(at))},
        "batch": {"S": ""},
        "segment": {"S": segment},
        "index": {"S": index.to_text()},
        "nonce": {"B": nonce},
    }
