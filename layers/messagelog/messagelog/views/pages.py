"""A view in pages, for replies that may only be so large.

The pages of a view are slices of the whole view: a page stands alone, and the pages joined are the whole view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from messagelog.errors import MessageTooLargeError
from messagelog.messages import StoredMessage
from messagelog.views.turns import Turn


class View(Protocol):
    """The `turns` of a view module."""

    def __call__(self, messages: Iterable[StoredMessage], *, faithful: bool = False) -> list[Turn]:
        """The turns of the view of these messages."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a view. `next` is the `after` of the page behind it, `None` at the end."""

    messages: list[dict[str, Any]]
    next: int | None


class PageTooLargeError(MessageTooLargeError):
    """No page can hold the turns of the messages `first` to `last`. `next` is the `after` of the page behind them."""

    def __init__(self, first: int, last: int, next: int | None) -> None:
        super().__init__(first, last, next)
        self.first = first
        self.last = last
        self.next = next

    def __str__(self) -> str:
        behind = "nothing is behind them" if self.next is None else f"go on with after={self.next}"
        return f"the messages {self.first} to {self.last} belong together and do not fit one reply: {behind}"


def page(
    view: View,
    messages: Iterable[StoredMessage],
    *,
    room: int,
    size: Callable[[dict[str, Any]], int],
    after: int = 0,
    faithful: bool = False,
) -> Page:
    """The page of the view behind message `after`, as much as `room` holds.

    `messages` is the whole log, oldest first, also what is before `after`: whether an id was used before, and which
    call a result belongs to, stands there. `size` measures one entry of the view as the reply carries it.
    Raises PageTooLargeError where not even the shortest page fits.
    """
    turns = [turn for turn in view(messages, faithful=faithful) if turn.first > after]
    return Page([turn.body for turn in turns], None)
