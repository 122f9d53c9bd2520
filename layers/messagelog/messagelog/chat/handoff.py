"""The strategy of a handoff, which chooses the messages that a chat goes on with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from messagelog.messages import AgentMessage, StoredMessage


class HandoffStrategy(Protocol):
    """Chooses the messages of a chat's new window: for example a summary, the last few messages, or none."""

    def apply(self, messages: list[StoredMessage], /) -> Iterable[AgentMessage | Mapping[str, object]]:
        """Returns the messages of the new window.

        Args:
            messages: The messages of the old window, which become historic.
        """
        ...
