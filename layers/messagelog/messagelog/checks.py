"""Checks of arguments."""

from __future__ import annotations

from collections.abc import Iterable


def check_number(name: str, value: object) -> None:
    """Raises ValueError unless the value is a whole number, 0 or more. `name` is the argument's name."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} must be a whole number, 0 or more")


def check_has(name: str, value: object, methods: Iterable[str], wanted: str) -> None:
    """Raises TypeError unless the value, or the object that it wraps, has these methods.

    Args:
        name: The argument's name.
        value: The argument.
        methods: The methods that it needs.
        wanted: The expected kind of argument, for the error.
    """
    if isinstance(value, type):
        raise TypeError(f"{name} must be {wanted}, not the class {value.__name__}")
    if not all(callable(getattr(value, method, None)) for method in methods):
        raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")
