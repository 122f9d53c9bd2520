"""The arguments that all views share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from messagelog.messages import File


class ViewOptions(TypedDict, total=False):
    """The arguments of a view, as `Target` describes them."""

    faithful: bool
    model: str | None
    reasoning: bool | None
    resolve: Callable[[File], bytes | str | None] | None


@dataclass(frozen=True, slots=True)
class Target:
    """The receiver of a view, and how the view is made for it.

    Attributes:
        faithful: Show each message as it is, without repairs.
        model: The model that gets the view. Turns of another model are sent as text and calls. Without it, a turn is
            sent back to its API, whichever model made it.
        reasoning: Whether content that only the model's API can read, such as signed thinking, is sent back. None: only
            if the API will accept it.
        resolve: Called with a file whose `url` the provider cannot follow. Returns its bytes, or an https link to it.
    """

    faithful: bool = False
    model: str | None = None
    reasoning: bool | None = None
    resolve: Callable[[File], bytes | str | None] | None = None


EVERYTHING = Target()
FAITHFUL = Target(faithful=True)
