"""Messages to DynamoDB items and back, exactly.

JSON values are stored as JSON text, because a DynamoDB map loses the difference between `1.0` and `1`, `-0.0`, integers
of more than 38 digits, more than 32 levels of nesting, and the order of keys.

    attribute       type  holds
    --------------  ----  ---------------------------------------------------------------------------------------
    tool_calls      S     the JSON list of the calls
    files           S     the JSON list of the files, without `data`
    file0, file1 …  B     the bytes of the file at this place of the list; absent for a file with a URL
    original        B     its JSON, by zlib; the JSON of content and calls is the preset dictionary, as most of it is
                             repeated there
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from messagelog import codec
from messagelog.messages import AgentMessage, File, Original, StoredMessage, ToolCall
from messagelog.strictjson import dumps

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_item(message: AgentMessage, at: datetime) -> dict[str, Any]:
    """Returns the message's attributes in DynamoDB's form, without the key.

    Args:
        message: The message.
        at: The time of the append. It is stored in microseconds since 1970.
    """
    item: dict[str, Any] = {
        "at": {"N": str(micros(at))},
        "role": {"S": message.role},
        "content": {"S": message.content},
    }
    if message.name is not None:
        item["name"] = {"S": message.name}
    if message.tool_calls:
        item["tool_calls"] = {"S": dumps(codec.calls_to_json(message))}
    if message.tool_call_id is not None:
        item["tool_call_id"] = {"S": message.tool_call_id}
    if message.origin is not None:
        item["origin"] = {"S": message.origin}
    if message.created_at is not None:
        item["created_at"] = {"N": str(micros(message.created_at))}
    if message.files:
        item |= _files_to_item(message.files)
    if message.original is not None:
        item["original"] = {"B": _pack(message.original, _dictionary(message.content, item))}
    return item


def from_item(item: Mapping[str, Any], seq: int) -> StoredMessage:
    """Returns the message that `to_item` wrote. Its content may be compressed with zlib."""
    stored = item["content"]
    content = stored["S"] if "S" in stored else zlib.decompress(stored["B"]).decode()
    calls = json.loads(item["tool_calls"]["S"]) if "tool_calls" in item else ()
    return StoredMessage(
        role=item["role"]["S"],
        content=content,
        name=item["name"]["S"] if "name" in item else None,
        tool_calls=tuple(ToolCall(**call) for call in calls),
        tool_call_id=item["tool_call_id"]["S"] if "tool_call_id" in item else None,
        origin=item["origin"]["S"] if "origin" in item else None,
        created_at=from_micros(int(item["created_at"]["N"])) if "created_at" in item else None,
        files=_files_from_item(item) if "files" in item else (),
        original=_unpack(item["original"]["B"], _dictionary(content, item)) if "original" in item else None,
        seq=seq,
        at=from_micros(int(item["at"]["N"])),
    )


def micros(at: datetime) -> int:
    """Returns a time as microseconds since 1970, exactly."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def from_micros(at: int) -> datetime:
    """Returns the time for a number that `micros` returned."""
    return _EPOCH + timedelta(microseconds=at)


def _files_to_item(files: tuple[File, ...]) -> dict[str, Any]:
    attributes: dict[str, Any] = {"files": {"S": dumps([codec.file_to_json(file, with_data=False) for file in files])}}
    for place, file in enumerate(files):
        if file.data is not None:
            attributes[f"file{place}"] = {"B": file.data}
    return attributes


def _files_from_item(item: Mapping[str, Any]) -> tuple[File, ...]:
    forms = json.loads(item["files"]["S"])
    return tuple(
        codec.file_from_json(form, None if "url" in form else item[f"file{place}"]["B"])
        for place, form in enumerate(forms)
    )


def _dictionary(content: str, item: Mapping[str, Any]) -> bytes:
    """Returns the preset dictionary for the original of the message in this item."""
    calls = item["tool_calls"]["S"] if "tool_calls" in item else ""
    return (dumps(content) + calls).encode()


def _pack(original: Original, dictionary: bytes) -> bytes:
    compressor = zlib.compressobj(zdict=dictionary)
    return compressor.compress(dumps(codec.original_to_json(original)).encode()) + compressor.flush()


def _unpack(data: bytes, dictionary: bytes) -> Original:
    decompressor = zlib.decompressobj(zdict=dictionary)
    text = decompressor.decompress(data) + decompressor.flush()
    return codec.original_from_json(json.loads(text))
