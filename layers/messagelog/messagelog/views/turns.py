"""A turn of a view, and its place in the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

ProviderMessage: TypeAlias = Any
"""A message in a provider's shape. At runtime it is a `dict[str, Any]`.

It is typed as `Any` so that each SDK takes it without a cast, also where that SDK is not installed. The SDKs type their
messages with TypedDicts of their own, and a type checker accepts neither a `dict` nor another TypedDict for those.
"""


@dataclass(slots=True)
class Turn:
    """An entry of a view.

    Attributes:
        first: The seq of the first message that gives the turn its place. A tool result has the place of its call,
            even if it comes later in the log.
        last: The seq of the last such message.
        body: The entry as the provider gets it.
        joints: If a turn was made from several messages: for each message after the first, its seq and the index of its
            first block.
    """

    first: int
    last: int
    body: dict[str, Any]
    joints: list[tuple[int, int]] = field(default_factory=list)

    def parted(self, joint: int) -> tuple[Turn, Turn]:
        """Returns the two parts of the turn, before and after a joint."""
        seq, block = self.joints[joint]
        content = self.body["content"]
        return (
            Turn(self.first, seq - 1, {**self.body, "content": content[:block]}),
            Turn(
                seq,
                self.last,
                {**self.body, "content": content[block:]},
                [(later, index - block) for later, index in self.joints[joint + 1 :]],
            ),
        )


def bodies(turns: list[Turn]) -> list[ProviderMessage]:
    """Returns the turns as the provider gets them. They share args with the messages that they were made from."""
    return [turn.body for turn in turns]


def unshared_bodies(
    turns: list[Turn], input_of: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> list[ProviderMessage]:
    """Returns the turns as the provider gets them. They share nothing with the messages.

    Args:
        turns: The turns. Their blocks are new, except for the `input` of a call.
        input_of: Returns the object of a block that holds the `input` of a call, None if the block is not a call.
    """
    for turn in turns:
        for block in turn.body["content"]:
            call = input_of(block)
            if call is not None:
                call["input"] = _unshared(call["input"])
    return bodies(turns)


def _unshared(value: Any) -> Any:
    if type(value) is dict:
        return {key: item if type(item) is str else _unshared(item) for key, item in value.items()}
    return [_unshared(item) for item in value] if type(value) is list else value
