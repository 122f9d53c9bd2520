"""Checks of the fields of a JSON hook."""

from __future__ import annotations

from typing import NoReturn

from messagelog.errors import CodecError
from messagelog.strictjson import require


def texts(value: object, path: str) -> list[str]:
    """Returns the value if it is a list of texts. Raises CodecError otherwise."""
    return [require(each, f"{path}[{index}]", str) for index, each in enumerate(require(value, path, list))]


def one_of(value: object, choices: tuple[str, ...], path: str) -> str:
    """Returns the value if it is one of the choices. Raises CodecError otherwise."""
    if value not in choices:
        refuse(path, f"must be one of {', '.join(choices)}")
    return str(value)


def refuse(path: str, reason: str) -> NoReturn:
    """Raises the CodecError of the field at `path`."""
    raise CodecError(path, reason)
