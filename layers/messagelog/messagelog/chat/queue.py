"""The queue of a chat: messages wait in it for the next send, which moves them to the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from messagelog.chat import drafts
from messagelog.chat.roles import Origin
from messagelog.chat.states.state import ChatState
from messagelog.messages import AgentMessage


class MessageQueue:
    """Queues messages from any thread and any process, also while a send runs: it never waits for one.

    The messages are not in the chat, and no hook is called, until the next send takes them, in the order in which they
    were queued. All methods raise CodecError and MessageTooLargeError as the chat's do, so the queue holds nothing that
    the log would refuse.
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
        """Queues a thought of the model."""
        self.add(drafts.reasoning(content))

    def add(self, message: AgentMessage | Mapping[str, object]) -> None:
        """Queues a message, given as a value or in its JSON form. A system message is refused."""
        self._state.enqueue(drafts.admit(message))


class HookMessageWriter:
    """The same queue for hooks. A message gets the origin that the hook gives, by default `hook`."""

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
