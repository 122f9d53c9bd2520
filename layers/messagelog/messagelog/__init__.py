"""MessageLog: durable conversation memory for LLM agents.

from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage

log = MessageLog(DynamoDBStorage("support-4711", table="MessageTable"))
seq = log.add("user", "Where is my parcel?")
"""

from typing import TYPE_CHECKING, Any

from messagelog.errors import (
    CodecError,
    ConflictError,
    ExpectedCountError,
    IdempotencyMismatchError,
    LeaseLostError,
    MessageLogError,
    MessageTooLargeError,
    NoModelError,
    OnAppendError,
    PromptChangedError,
    ProviderError,
    SendRunningError,
    StorageUnavailableError,
    ThrottledError,
    TurnDoneError,
    TurnFailedError,
    UnknownOutcomeError,
)
from messagelog.log import MessageLog
from messagelog.messages import AgentMessage, StoredMessage, ToolCall

if TYPE_CHECKING:
    from messagelog.incoming import from_anthropic, from_bedrock, from_langchain, from_openai

__all__ = [
    "AgentMessage",
    "CodecError",
    "ConflictError",
    "ExpectedCountError",
    "IdempotencyMismatchError",
    "LeaseLostError",
    "MessageLog",
    "MessageLogError",
    "MessageTooLargeError",
    "NoModelError",
    "OnAppendError",
    "PromptChangedError",
    "ProviderError",
    "SendRunningError",
    "StorageUnavailableError",
    "StoredMessage",
    "ThrottledError",
    "ToolCall",
    "TurnDoneError",
    "TurnFailedError",
    "UnknownOutcomeError",
    "from_anthropic",
    "from_bedrock",
    "from_langchain",
    "from_openai",
]


def __getattr__(name: str) -> Any:
    """The way in is imported when it is first used: most functions only store and read, and start sooner without it."""
    if name.startswith("from_") and name in __all__:
        from messagelog import incoming

        return getattr(incoming, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
