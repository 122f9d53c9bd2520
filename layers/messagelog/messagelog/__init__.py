"""MessageLog: durable conversation memory for LLM agents.

from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage

log = MessageLog(DynamoDBStorage("support-4711", table="MessageTable"))
seq = log.add("user", "Where is my parcel?")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from messagelog.errors import (
    CodecError,
    ConflictError,
    ExpectedCountError,
    IdempotencyMismatchError,
    MessageLogError,
    MessageTooLargeError,
    NotWrittenError,
    OnAppendError,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
    WrittenError,
)
from messagelog.log import MessageLog
from messagelog.messages import AgentMessage, File, Messages, Original, StoredMessage, ToolCall

if TYPE_CHECKING:
    from messagelog.chat.errors import (
        LeaseLostError,
        NoModelError,
        PromptChangedError,
        ProviderError,
        SendRunningError,
        TurnDoneError,
        TurnFailedError,
    )
    from messagelog.readers import from_anthropic, from_bedrock, from_langchain, from_openai

_HOMES = {
    "LeaseLostError": "chat.errors",
    "NoModelError": "chat.errors",
    "PromptChangedError": "chat.errors",
    "ProviderError": "chat.errors",
    "SendRunningError": "chat.errors",
    "TurnDoneError": "chat.errors",
    "TurnFailedError": "chat.errors",
    "from_anthropic": "readers",
    "from_bedrock": "readers",
    "from_langchain": "readers",
    "from_openai": "readers",
}

__all__ = [
    "AgentMessage",
    "CodecError",
    "ConflictError",
    "ExpectedCountError",
    "File",
    "IdempotencyMismatchError",
    "LeaseLostError",
    "MessageLog",
    "MessageLogError",
    "MessageTooLargeError",
    "Messages",
    "NoModelError",
    "NotWrittenError",
    "OnAppendError",
    "Original",
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
    "WrittenError",
    "from_anthropic",
    "from_bedrock",
    "from_langchain",
    "from_openai",
]


def __getattr__(name: str) -> Any:
    """Imports a name when it is first used. Functions that only store and read start faster."""
    if name in _HOMES:
        return getattr(import_module(f"messagelog.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
