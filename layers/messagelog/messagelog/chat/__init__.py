"""A chat: a window on the log, with a prompt tree, a queue, hooks and `send`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from messagelog.chat.chat import Chat
    from messagelog.chat.handoff import HandoffStrategy
    from messagelog.chat.hooks.events import ToolEvent
    from messagelog.chat.hooks.registry import Hook
    from messagelog.chat.prompts.container import PromptContainer
    from messagelog.chat.prompts.prompt import Prompt
    from messagelog.chat.queue import HookMessageWriter, MessageQueue
    from messagelog.chat.roles import ChatRole, Origin
    from messagelog.chat.sending.service import ChatConfig, ChatService
    from messagelog.chat.sending.tools import Tool, ToolPackage, ToolSuite

_HOMES = {
    "Chat": "chat",
    "ChatConfig": "sending.service",
    "ChatRole": "roles",
    "ChatService": "sending.service",
    "HandoffStrategy": "handoff",
    "Hook": "hooks.registry",
    "HookMessageWriter": "queue",
    "MessageQueue": "queue",
    "Origin": "roles",
    "Prompt": "prompts.prompt",
    "PromptContainer": "prompts.container",
    "Tool": "sending.tools",
    "ToolEvent": "hooks.events",
    "ToolPackage": "sending.tools",
    "ToolSuite": "sending.tools",
}

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
    """Imports a name at its first use, so that a function starts without the parts that it does not need."""
    if name in _HOMES:
        return getattr(import_module(f"messagelog.chat.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
