"""A chat in memory."""

from __future__ import annotations

import pytest
from messagelog import MessageLog
from messagelog.chat import Chat
from messagelog.chat.memory import MemoryChatState
from messagelog.memory import MemoryStorage


@pytest.fixture
def chat() -> Chat:
    return Chat(MessageLog(MemoryStorage()), MemoryChatState())
