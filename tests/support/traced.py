"""An object of an SDK as a tracer wraps it."""

from __future__ import annotations

from typing import Any


class Traced:
    """It has all attributes of the wrapped object, and another type."""

    def __init__(self, wrapped: object) -> None:
        self._wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wrapped, name)
