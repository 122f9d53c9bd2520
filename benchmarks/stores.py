"""What every store that is measured can do, each by its own API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

Message = dict[str, Any]
"""A message in the JSON form of the log."""


class Conversation(Protocol):
    """One conversation in a store. A store's own errors pass through."""

    def append(self, messages: Sequence[Message]) -> None:
        """Adds the messages at the end, by the call that the store has for one or for many."""
        ...

    def all(self) -> Sequence[Any]:
        """All messages, oldest first."""
        ...

    def last(self, n: int) -> Sequence[Any]:
        """The last n messages, oldest first: as cheaply as the store can."""
        ...

    def count(self) -> int:
        """How many messages there are: as cheaply as the store can."""
        ...

    def views(self) -> Mapping[str, Callable[[int], object]]:
        """For each provider's view that the store has, what reads a window of n messages as it."""
        ...


class Store(Protocol):
    """A kind of store, with its table made. `open` gives a conversation as a process of its own would see it."""

    name: str
    fill_by: int  # messages an append, when a conversation is only made ready to be measured
    longest: int  # conversations that are longer would take too long to make ready

    def open(self, conversation: str) -> Conversation:
        """The conversation, made if it has to be."""
        ...

    def text_of(self, message: Any) -> str:
        """The text of a message that `all` gave."""
        ...
