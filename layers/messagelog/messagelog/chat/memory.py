"""Where callers import the chat state in memory from."""

from messagelog.chat.states.memory import MemoryChatState

__all__ = ["MemoryChatState"]
