"""The model's turn as its API sent it, for the readers."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from messagelog.messages import AgentMessage, JSONValue, Original, StoredMessage
from messagelog.readers.reading import refuse
from messagelog.strictjson import copied
from messagelog.views.target import FAITHFUL, Target
from messagelog.views.turns import Turn

_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def original_of(api: str, blocks: Iterable[tuple[str, Any]], model: object) -> Original | None:
    """Returns the original with copies of these blocks, or None without blocks.

    Args:
        api: The API that sent them.
        blocks: The blocks, each with its path. Bytes in them become base64.
        model: The model as the reply names it. Anything but text counts as unknown.

    Raises:
        CodecError: A block is not JSON. The error has its path.
    """
    kept = [_wire_form(block, path) for path, block in blocks]
    return Original(api, kept, model if isinstance(model, str) else None) if kept else None


def with_original(
    message: AgentMessage, original: Original | None, turns: Callable[[list[StoredMessage], Target], list[Turn]]
) -> AgentMessage:
    """Returns the message with the original, unless its text and calls already express exactly the same blocks.

    Args:
        message: The assistant's message.
        original: The original.
        turns: The view of the same API, which tells how the message looks without its original.
    """
    shown = turns([StoredMessage.of(message, seq=1, at=_ANY_TIME)], FAITHFUL)
    written = shown[0].body["content"] if shown else []
    if original is None or (not message.files and _text(written) == _text(original.blocks)):
        return message
    return replace(message, original=original)


def _text(blocks: object) -> str:
    """Returns the JSON text of blocks. It tells 1 from 1.0 and from true, and does not depend on the order of keys."""
    return json.dumps(blocks, sort_keys=True)


def _wire_form(value: Any, path: str) -> JSONValue:
    try:
        return copied(_without_bytes(value), path)
    except RecursionError:
        refuse(path, "is nested too deep")


def _without_bytes(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {key: _without_bytes(item) for key, item in value.items()}
    return [_without_bytes(item) for item in value] if isinstance(value, list) else value
