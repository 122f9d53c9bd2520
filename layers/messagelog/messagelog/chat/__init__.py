"""A chat: a window on the log, with a prompt tree, a queue, hooks and `send`."""

from typing import TYPE_CHECKING, Any

from messagelog.chat.chat import Chat, HandoffStrategy
from messagelog.chat.hooks import Hook, ToolEvent
from messagelog.chat.prompt import Prompt
from messagelog.chat.prompt_container import PromptContainer
from messagelog.chat.queue import HookMessageWriter, MessageQueue
from messagelog.chat.roles import ChatRole, Origin
from messagelog.chat.tools import Tool, ToolPackage, ToolSuite

if TYPE_CHECKING:
    from messagelog.chat.service import ChatConfig, ChatService

__all__ = [
    "Chat",
    "ChatConfig",
    "ChatRole",
    "ChatService",
    "HandoffStrategy",
    "Hook",
    "HookMessageWriter",
    "MessageQueue",
    "Origin",
    "Prompt",
    "PromptContainer",
    "Tool",
    "ToolEvent",
    "ToolPackage",
    "ToolSuite",
]


def __getattr__(name: str) -> Any:
    """The service is imported when it is first used: functions that do not send start sooner without it."""
    if name in ("ChatConfig", "ChatService"):
        from messagelog.chat import service

        return getattr(service, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
