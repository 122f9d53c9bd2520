"""MessageLog: durable conversation memory for LLM agents.

from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage

log = MessageLog(DynamoDBStorage("support-4711", table="messages"))
seq = log.add("user", "Where is my parcel?")
"""

from messagelog.errors import (
    CodecError,
    ConflictError,
    ExpectedCountError,
    IdempotencyMismatchError,
    MessageLogError,
    MessageTooLargeError,
    OnAppendError,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)
from messagelog.log import MessageLog
from messagelog.messages import AgentMessage, StoredMessage, ToolCall

__all__ = [
    "AgentMessage",
    "CodecError",
    "ConflictError",
    "ExpectedCountError",
    "IdempotencyMismatchError",
    "MessageLog",
    "MessageLogError",
    "MessageTooLargeError",
    "OnAppendError",
    "StorageUnavailableError",
    "StoredMessage",
    "ThrottledError",
    "ToolCall",
    "UnknownOutcomeError",
]
