"""The queue of a chat. Messages wait in it for the next send, which moves them to the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from messagelog.chat import drafts
from messagelog.chat.roles import Origin
from messagelog.chat.states.state import ChatState
from messagelog.messages import AgentMessage


class MessageQueue:
    """Queues messages, from any thread and any process. It never waits for a running send.

    A queued message enters the chat with the next send, in the order of the queue. The hooks are called then.

    Args:
        state: Keeps the queue.

    Raises:
        CodecError: The chat would refuse the message.
        MessageTooLargeError: No reply could carry the message.
    """

    def __init__(self, state: ChatState) -> None:
        self._state = state

    def user(self, content: str) -> None:
        """Queues a message of the user."""
        self.add(drafts.user(content))

    def assistant(self, content: str, tool_calls: Iterable[Any] | None = None) -> None:
        """Queues a message of the model. See `Chat.assistant`."""
        self.add(drafts.assistant(content, tool_calls))

    def tool(self, content: str, tool_call_id: str) -> None:
        """Queues the result of a tool call."""
        self.add(drafts.tool(content, tool_call_id))

    def reasoning(self, content: str) -> None:
        """Queues a message of the model's reasoning."""
        self.add(drafts.reasoning(content))

    def add(self, message: AgentMessage | Mapping[str, object]) -> None:
        """Queues a message, as a value or in its JSON form. A system message is refused."""
        self._state.enqueue(drafts.admit(message))


class HookMessageWriter:
    """The same queue for hooks. Each method takes the origin of the message, which is `hook` by default.

    Args:
        queue: The queue.
    """

    def __init__(self, queue: MessageQueue) -> None:
        self._queue = queue

    def user(self, content: str, origin: Origin = Origin.HOOK) -> None:
        """See `MessageQueue.user`."""
        self._add(drafts.user(content), origin)

    def assistant(self, content: str, tool_calls: Iterable[Any] | None = None, origin: Origin = Origin.HOOK) -> None:
        """See `MessageQueue.assistant`."""
        self._add(drafts.assistant(content, tool_calls), origin)

    def tool(self, content: str, tool_call_id: str, origin: Origin = Origin.HOOK) -> None:
        """See `MessageQueue.tool`."""
        self._add(drafts.tool(content, tool_call_id), origin)

    def reasoning(self, content: str, origin: Origin = Origin.HOOK) -> None:
        """See `MessageQueue.reasoning`."""
        self._add(drafts.reasoning(content), origin)

    def _add(self, message: AgentMessage, origin: Origin) -> None:
        self._queue.add(replace(message, origin=origin.value))
