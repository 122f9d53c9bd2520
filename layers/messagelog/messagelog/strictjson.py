"""Strict JSON: a value that JSON cannot hold exactly is refused, with its path.

Python's `json` accepts values that JSON cannot hold or that it changes: NaN, tuples, keys that are numbers, duplicate
keys. So every value from outside is checked at every level, and copied at the same time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any, NoReturn, Protocol, TypeAlias, TypeVar, cast

from messagelog.errors import CodecError
from messagelog.jsontext import has_more_containers, is_deeper
from messagelog.messages import JSONValue

MAX_LEVELS = 200
MAX_CONTAINERS = 1_500_000
"""The largest number of lists and objects in a text. A list in a list takes two bytes of JSON and 88 of memory."""
MAX_DIGITS = 4300  # CPython's own limit for int <-> str: docs.python.org/3/library/stdtypes.html#int-max-str-digits
_TOO_MANY_DIGITS = 10**MAX_DIGITS
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}

# A place in a value: (parent, key or index). It is made into text only to report a fault.
_Path: TypeAlias = "tuple[_Path | str, str | int]"
_T = TypeVar("_T")


def dumps(value: object) -> str:
    """Writes compact JSON text. Characters outside of ASCII are written as they are."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class TooManyContainersError(ValueError):
    """The text has more lists and objects than `MAX_CONTAINERS`, which would need too much memory."""

    def __str__(self) -> str:
        return f"more than {MAX_CONTAINERS} lists and objects"


class Owned(dict[str, object]):
    """An object that `loads` made and nothing else refers to, so that its reader may keep its parts without a copy."""

    __slots__ = ()


def loads(text: str, *, max_levels: int) -> object:
    """Reads JSON text from outside.

    A duplicate key and a number that is too long to read are valid JSON. They are returned with a mark, so that the
    checks of this module refuse them with their path.

    Args:
        text: The text.
        max_levels: The largest number of nested lists and objects.

    Raises:
        TooManyContainersError: The text has more than `MAX_CONTAINERS` lists and objects.
        ValueError: The text is not JSON (RFC 8259, without NaN and Infinity), or it is nested too deep. The error does
            not quote the text.
    """
    # Both are checked before parsing. `json` fails at a different depth on each Python, and memory has no other bound.
    if is_deeper(text, max_levels):
        raise ValueError(f"nested more than {max_levels} levels deep")
    if has_more_containers(text, MAX_CONTAINERS):
        raise TooManyContainersError
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos + 1}") from None  # the error itself quotes the text


class _DuplicateKey(dict[str, object]):
    """An object that had the key `key` twice."""

    key = ""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    marked = _DuplicateKey(plain)
    seen: set[str] = set()
    marked.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return marked


def _integer(text: str) -> int:
    return int(text) if len(text.lstrip("-")) <= MAX_DIGITS else _TOO_MANY_DIGITS


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def require_object(value: object, path: str, known: Collection[str]) -> Mapping[str, object]:
    """Returns `value` if it is a JSON object that has only known fields and no duplicate key."""
    if not isinstance(value, Mapping) or isinstance(value, _DuplicateKey):
        refuse_kind(value, path, "an object")
    for field in value:
        _check_key(field, path)
        if field not in known:
            _refuse((path, field), f"unknown field; the fields are {', '.join(known)}")
    return value


def require(value: object, path: str, kind: type[_T]) -> _T:
    """Returns `value` if it is of this JSON type."""
    if type(value) is not kind:
        refuse_kind(value, path, _KINDS[kind])
    return value


def copied(value: Any, path: _Path | str, level: int = 0) -> JSONValue:
    """Returns a deep copy of a JSON value. Refuses a value that JSON text does not keep exactly."""
    kind = type(value)
    if kind is str:
        if not is_unicode(value):
            _refuse(path, "has a lone surrogate, which is not Unicode text")
    elif kind is int:
        if not -_TOO_MANY_DIGITS < value < _TOO_MANY_DIGITS:
            _refuse(path, f"is an integer of more than {MAX_DIGITS} digits")
    elif kind is float:
        if not isfinite(value):
            _refuse(path, "is not a finite number")
    elif kind is dict or kind is list:
        return _copied_container(value, path, level)
    elif value is not None and kind is not bool:
        refuse_kind(value, path, "a plain JSON value")
    return cast(JSONValue, value)


def _copied_container(value: dict[Any, Any] | list[Any], path: _Path | str, level: int) -> JSONValue:
    if level == MAX_LEVELS:
        _refuse(path, f"is nested more than {MAX_LEVELS} levels deep")
    if isinstance(value, list):
        return [copied(item, (path, index), level + 1) for index, item in enumerate(value)]
    copy: dict[str, JSONValue] = {}
    for key, item in value.items():
        _check_key(key, path)
        if not is_unicode(key):
            _refuse(path, "has a key with a lone surrogate, which is not Unicode text")
        copy[key] = copied(item, (path, key), level + 1)
    return copy


class Take(Protocol):
    """The type of `copied` and `checked`: a reader calls one of them for each part of a form that it keeps."""

    def __call__(self, value: Any, path: _Path | str, /) -> JSONValue:
        """Returns the value or a copy of it."""
        ...


def checked(value: Any, path: _Path | str) -> JSONValue:
    """Returns the value itself, which nothing else may refer to. Refuses the same values as `copied`."""
    return cast(JSONValue, value) if _is_plain(value) else copied(value, path)


def _is_plain(value: Any) -> bool:
    """Whether JSON text keeps the value exactly. It checks one level after another."""
    layer: list[Any] = [value]
    for _ in range(MAX_LEVELS):
        inner: list[Any] = []
        for item in layer:
            if type(item) is list:
                inner += item
            elif type(item) is dict:
                if not all(type(key) is str and is_unicode(key) for key in item):
                    return False
                inner += item.values()
            elif not _is_plain_scalar(item):
                return False
        layer = inner
    return all(map(_is_plain_scalar, layer))


def _is_plain_scalar(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return is_unicode(value)
    if kind is int:
        return bool(-_TOO_MANY_DIGITS < value < _TOO_MANY_DIGITS)
    if kind is float:
        return isfinite(value)
    return value is None or kind is bool


def _check_key(key: object, path: _Path | str) -> None:
    if type(key) is not str:
        _refuse(path, f"has a key that is not text but {kind_of(key)}")


def is_unicode(text: str) -> bool:
    """Whether the text can be encoded, because it has no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_kind(value: object, path: _Path | str, expected: str) -> NoReturn:
    """Raises the CodecError of a value of the wrong type, or of the duplicate key in it."""
    if isinstance(value, _DuplicateKey):
        _refuse((path, value.key), "duplicate key")
    _refuse(path, f"must be {expected}, not {kind_of(value)}")


def kind_of(value: object) -> str:
    """Returns the JSON type of a value in words, or the name of its Python type if JSON has no such type."""
    return _KINDS.get(type(value), type(value).__name__)


def below(path: str, name: str) -> str:
    """Returns the path of a field of the value at `path`."""
    return f"{path}.{name}" if path else name


def _refuse(path: _Path | str, reason: str) -> NoReturn:
    raise CodecError(_rendered(path), reason) from None


def _rendered(path: _Path | str) -> str:
    if isinstance(path, str):
        return path
    parent, step = _rendered(path[0]), path[1]
    if isinstance(step, str) and re.fullmatch(r"[A-Za-z_]\w{0,63}", step, re.ASCII):
        return below(parent, step)
    # Cut and escaped to ASCII, because a key can be megabytes long or have characters that a reply cannot carry.
    return f"{parent}[{json.dumps(step[:64] if isinstance(step, str) else step)}]"
