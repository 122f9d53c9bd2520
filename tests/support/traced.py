"""An object of an SDK as a tracer hands it on."""

from __future__ import annotations

from typing import Any


class Traced:
    """All attributes are those of what is wrapped, and the type is another."""

    def __init__(self, wrapped: object) -> None:
        self._wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wrapped, name)
