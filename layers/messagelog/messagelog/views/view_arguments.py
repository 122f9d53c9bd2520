"""The arguments of the views and windows of a log, for type checkers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from messagelog.messages import File
from messagelog.views.target import ViewOptions


class Limits(TypedDict, total=False):
    """The limits of a window: see `WindowLimits`."""

    last: int | None
    max_tokens: int | None
    step: int
    count_tokens: Callable[[str], int] | None
    count_file: Callable[[File], int] | None


class WindowArguments(Limits, total=False):
    """The arguments of `MessageLog.window`, which say how much of the history is returned."""

    after: int
    consistent: bool


WINDOW_ARGUMENTS = (*Limits.__annotations__, "after", "consistent")


class ViewArguments(WindowArguments, ViewOptions, total=False):
    """The arguments of a view of a log."""
