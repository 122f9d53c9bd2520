"""Messages to DynamoDB items and back, exactly.

Tool calls are stored as JSON text. JSON text keeps what a DynamoDB map loses: `1.0` apart from `1`, `-0.0`, integers of
4,300 digits, more than 32 levels of nesting, and the order of keys.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from messagelog.codec import calls_to_json
from messagelog.messages import AgentMessage, StoredMessage, ToolCall
from messagelog.strictjson import dumps

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_item(message: AgentMessage, at: datetime) -> dict[str, Any]:
    """The message's attributes in DynamoDB's form, without the key. `at` is stored in microseconds since 1970."""
    item: dict[str, Any] = {
        "at": {"N": str(micros(at))},
        "role": {"S": message.role},
        "content": {"S": message.content},
    }
    if message.name is not None:
        item["name"] = {"S": message.name}
    if message.tool_calls:
        item["tool_calls"] = {"S": dumps(calls_to_json(message))}
    if message.tool_call_id is not None:
        item["tool_call_id"] = {"S": message.tool_call_id}
    if message.origin is not None:
        item["origin"] = {"S": message.origin}
    if message.created_at is not None:
        item["created_at"] = {"N": str(micros(message.created_at))}
    return item


def from_item(item: Mapping[str, Any], seq: int) -> StoredMessage:
    """The message that `to_item` wrote. Its content may have been compressed since, with zlib."""
    content = item["content"]
    calls = json.loads(item["tool_calls"]["S"]) if "tool_calls" in item else ()
    return StoredMessage(
        role=item["role"]["S"],
        content=content["S"] if "S" in content else zlib.decompress(content["B"]).decode(),
        name=item["name"]["S"] if "name" in item else None,
        tool_calls=tuple(ToolCall(**call) for call in calls),
        tool_call_id=item["tool_call_id"]["S"] if "tool_call_id" in item else None,
        origin=item["origin"]["S"] if "origin" in item else None,
        created_at=from_micros(int(item["created_at"]["N"])) if "created_at" in item else None,
        seq=seq,
        at=from_micros(int(item["at"]["N"])),
    )


def micros(at: datetime) -> int:
    """Microseconds since 1970, exactly."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def from_micros(at: int) -> datetime:
    """The time that `micros` counted."""
    return _EPOCH + timedelta(microseconds=at)
