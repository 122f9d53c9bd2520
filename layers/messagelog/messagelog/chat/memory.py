"""The public import path of the chat state in memory."""

from messagelog.chat.states.memory import MemoryChatState

__all__ = ["MemoryChatState"]
