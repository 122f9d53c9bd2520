"""Arguments that are what they have to be."""

from __future__ import annotations

from collections.abc import Iterable


def check_number(name: str, value: object) -> None:
    """Raises ValueError unless the value is a whole number, 0 or more. `name` is what the caller calls it."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} must be a whole number, 0 or more")


def check_has(name: str, value: object, methods: Iterable[str], wanted: str) -> None:
    """Raises TypeError unless the value has these methods; it may have them from another object that it stands for."""
    if isinstance(value, type):
        raise TypeError(f"{name} must be {wanted}, not the class {value.__name__}")
    if not all(callable(getattr(value, method, None)) for method in methods):
        raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")
