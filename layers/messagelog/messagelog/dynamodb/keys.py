"""The keys of MessageTable. Only this module knows their form.

conversation (partition key)   the conversation
entry (sort key)               `head`                 the counter item
                               `msg#000000000042`     the message with seq 42, or the segment that ends with it
                               `key#<hash>`           an idempotency key
                               `seg#<id>#000007`      a part of a segment, seen only through the row that points at it
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from messagelog.strictjson import is_unicode

MAX_SEQ = 10**12 - 1  # twelve digits, zero padded, so that texts and numbers have the same order
MAX_CONVERSATION_BYTES = 2048  # DynamoDB's limit for a partition key

HEAD = "head"


def check_conversation(conversation: str) -> None:
    """Raises ValueError if DynamoDB does not take this as a partition key."""
    is_text = type(conversation) is str and is_unicode(conversation)
    if not is_text or not 0 < len(conversation.encode()) <= MAX_CONVERSATION_BYTES:
        raise ValueError(f"conversation must be 1 to {MAX_CONVERSATION_BYTES} bytes of text")


def key(conversation: str, entry: str) -> dict[str, Any]:
    """The primary key of an entry of the conversation."""
    return {"conversation": {"S": conversation}, "entry": {"S": entry}}


def message_entry(seq: int) -> str:
    """The sort key of the message with this seq."""
    return f"msg#{seq:012d}"


def seq_of(entry: str) -> int:
    """The seq in a message's sort key."""
    return int(entry.removeprefix("msg#"))


def idempotency_entry(idempotency_key: str) -> str:
    """The sort key of an idempotency key. It is a hash, because the caller's text may be longer than a sort key."""
    return f"key#{sha256(idempotency_key.encode()).hexdigest()}"


def part_entry(segment: str, part: int) -> str:
    """The sort key of a part of a segment."""
    return f"seg#{segment}#{part:06d}"
