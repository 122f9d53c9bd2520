"""The queue of a chat: messages wait in it for the next send, which takes them into the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from messagelog.chat import drafts
from messagelog.chat.roles import Origin
from messagelog.chat.state import ChatState
from messagelog.messages import AgentMessage
from messagelog.travel import check_travels


def checked(message: AgentMessage | Mapping[str, object]) -> AgentMessage:
    """The message as the queue holds it. Raises CodecError and MessageTooLargeError for one that it does not take."""
    ready = drafts.draft(message)
    check_travels(ready, "")
    return ready


class MessageQueue:
    """Queues messages from any thread and any process, also while a send runs: it never waits for one.

    Nothing is added to the chat and no hook fires before the next send takes the messages, each producer's in its
    order. All methods raise CodecError and MessageTooLargeError as the chat's do, so that nothing is in the queue that
    no log would take.
    """

    def __init__(self, state: ChatState) -> None:
        self._state = state

    def user(self, content: str) -> None:
        """Queues what the user says."""
        self.add(drafts.user(content))

    def assistant(self, content: str, tool_calls: Iterable[Any] | None = None) -> None:
        """Queues what the model is to have said: see `Chat.assistant`."""
        self.add(drafts.assistant(content, tool_calls))

    def tool(self, content: str, tool_call_id: str) -> None:
        """Queues the result of a tool."""
        self.add(drafts.tool(content, tool_call_id))

    def reasoning(self, content: str) -> None:
        """Queues what the model is to have thought."""
        self.add(drafts.reasoning(content))

    def add(self, message: AgentMessage | Mapping[str, object]) -> None:
        """Queues a message, given as a value or in its JSON form; a system message is refused."""
        self._state.enqueue(checked(message))


class HookMessageWriter:
    """The same queue for hooks: what they write has the origin they give, `hook` unless they say otherwise."""

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
