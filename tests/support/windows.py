"""What the tests of windows share: short messages, and a log that counts how far it is read."""

from __future__ import annotations

from collections.abc import Iterator

from messagelog import AgentMessage, StoredMessage, ToolCall
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import window

USER = AgentMessage("user", "q")
ASSISTANT = AgentMessage("assistant", "a")
CALL = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", {}),))
RESULT = AgentMessage("tool", "R", tool_call_id="t1")


class Reader:
    """A log read from its end that counts how many messages were taken."""

    def __init__(self, log: list[StoredMessage]) -> None:
        self.read = 0
        self._newest_first = reversed(log)

    def __iter__(self) -> Iterator[StoredMessage]:
        return self

    def __next__(self) -> StoredMessage:
        message = next(self._newest_first)
        self.read += 1
        return message


def seqs(log: list[StoredMessage], **limits: object) -> list[int]:
    return [message.seq for message in window(iter(log[::-1]), WindowLimits(**limits))]  # type: ignore[arg-type]
