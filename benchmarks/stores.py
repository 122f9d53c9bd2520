"""The operations of a measured store. Each store implements them with its own API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

Message = dict[str, Any]
"""A message in the JSON form of the log."""


class Conversation(Protocol):
    """One conversation in a store. The errors of the store pass through."""

    def append(self, messages: Sequence[Message]) -> None:
        """Add the messages at the end, with the store's call for one message or for many."""
        ...

    def all(self) -> Sequence[Any]:
        """Return all messages, oldest first."""
        ...

    def last(self, n: int) -> Sequence[Any]:
        """Return the last n messages, oldest first, as cheaply as the store can."""
        ...

    def count(self) -> int:
        """Return the number of messages, as cheaply as the store can."""
        ...

    def views(self) -> Mapping[str, Callable[[int], object]]:
        """Return for each provider's view of the store a function that reads its last n messages."""
        ...


class Store(Protocol):
    """A kind of store, with its table. `open` returns a conversation as a new process would see it."""

    name: str
    fill_by: int  # the messages in each append that only prepares a conversation
    longest: int  # longer conversations would take too long to prepare

    def open(self, conversation: str) -> Conversation:
        """Return the conversation. Make it if necessary."""
        ...

    def text_of(self, message: Any) -> str:
        """Return the text of a message from `all`."""
        ...
