"""Arguments that are numbers."""

from __future__ import annotations


def check_number(name: str, value: object) -> None:
    """Raises ValueError unless the value is a whole number, 0 or more. `name` is what the caller calls it."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} must be a whole number, 0 or more")
