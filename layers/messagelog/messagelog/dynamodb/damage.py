"""The errors for damaged items and missing messages. They have a code, and no other exception reaches the caller."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from messagelog.errors import StorageUnavailableError

P = ParamSpec("P")
T = TypeVar("T")

_UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error)


def intact(read: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
    """Returns what a function reads out of an item.

    Raises:
        StorageUnavailableError: The function failed, so the item is damaged.
    """
    try:
        return read(*arguments, **more)
    except _UNREADABLE:
        raise damaged() from None  # the cause may quote the item


def damaged() -> StorageUnavailableError:
    """The error of an item that cannot be read."""
    return _of_the_table("an item in the table is damaged: was it changed by hand?", "ItemDamaged")


def missing() -> StorageUnavailableError:
    """The error of messages that are not where they must be."""
    return _of_the_table("messages are missing in the table: was it changed by hand?", "MessagesMissing")


def _of_the_table(reason: str, code: str) -> StorageUnavailableError:
    error = StorageUnavailableError(reason, is_of_the_stack=True)
    error.code = code
    return error
