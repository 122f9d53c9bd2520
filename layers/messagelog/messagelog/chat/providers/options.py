"""The `options` of a provider: further fields of its requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


def checked_options(options: Mapping[str, Any] | None, ours: Collection[str]) -> dict[str, Any]:
    """Returns a copy of the options.

    Args:
        options: The fields; None for none.
        ours: The fields that the provider sets itself and cannot merge.

    Raises:
        ValueError: The options hold one of `ours`.
    """
    fields = dict(options or {})
    for name in ours:
        if name in fields:
            raise ValueError(f"options must not hold {name!r}, which the provider sets itself")
    return fields
