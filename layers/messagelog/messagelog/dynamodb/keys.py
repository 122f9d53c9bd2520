"""The keys of MessageTable: the only place that knows how its entries are called.

conversation (partition key)   the conversation
entry (sort key)               `head`              the counter item
                               `msg#000000000042`  the message with seq 42
"""

from __future__ import annotations

from typing import Any

MAX_SEQ = 10**12 - 1  # what twelve digits hold; zero padded, so that the order of the texts is the order of the numbers
MAX_CONVERSATION_BYTES = 2048  # DynamoDB's limit for a partition key


def check_conversation(conversation: str) -> None:
    """Raises ValueError if DynamoDB cannot take this as a partition key."""
    if not conversation or len(conversation.encode()) > MAX_CONVERSATION_BYTES:
        raise ValueError(f"conversation must be 1 to {MAX_CONVERSATION_BYTES} bytes of text")


def head(conversation: str) -> dict[str, Any]:
    """The key of the counter item."""
    return _key(conversation, "head")


def message(conversation: str, seq: int) -> dict[str, Any]:
    """The key of the message with this seq."""
    return _key(conversation, message_entry(seq))


def message_entry(seq: int) -> str:
    """The sort key of the message with this seq."""
    return f"msg#{seq:012d}"


def seq_of(entry: str) -> int:
    """The seq in a message's sort key."""
    return int(entry.removeprefix("msg#"))


def _key(conversation: str, entry: str) -> dict[str, Any]:
    return {"conversation": {"S": conversation}, "entry": {"S": entry}}
