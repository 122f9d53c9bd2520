"""JSON, strictly: what is read or stored is plain JSON that comes back equal, or it is refused with its path.

Python's `json` lets pass what JSON cannot hold, or holds only by changing it: NaN, tuples, keys that are numbers, the
last of two equal keys. So every value from outside is walked, and copied on the way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any, NoReturn, TypeAlias, TypeVar, cast

from messagelog.errors import CodecError
from messagelog.messages import JSONValue

MAX_LEVELS = 200
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

# Where in the value: (parent, key or index). Rendered only when there is a fault to report.
_Path: TypeAlias = "tuple[_Path | str, str | int]"
_T = TypeVar("_T")


def dumps(value: object) -> str:
    """Compact JSON text; other than ASCII stays as it is."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def loads(text: str, *, max_levels: int) -> object:
    """Reads JSON text from outside.

    Raises ValueError for what is no JSON (RFC 8259: so NaN and Infinity) or nests deeper than `max_levels`. A repeated
    key and a number too long to read are JSON; they come back marked, so that `parse` refuses them with their path.
    """
    # Looked at before parsing, since `json` fails at another depth on each Python.
    if text.count("[") + text.count("{") > max_levels and _levels(text) > max_levels:
        raise ValueError(f"nested more than {max_levels} levels deep")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos + 1}") from None  # the error itself holds the text


class _RepeatedKey(dict[str, object]):
    """An object in which a key stood twice."""

    key = ""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    repeated = _RepeatedKey(plain)
    repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeated


def _integer(text: str) -> int:
    return int(text) if len(text.lstrip("-")) <= MAX_DIGITS else _TOO_MANY_DIGITS


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# A string (even one cut short, so that the scan stays linear) or a bracket outside of one.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def _levels(text: str) -> int:
    """How deep the JSON text nests."""
    deepest = level = 0
    for token in _TOKEN.finditer(text):
        match text[token.start()]:
            case "[" | "{":
                level += 1
                deepest = max(deepest, level)
            case "]" | "}":
                level -= 1
    return deepest


def require_object(value: object, path: str, known: Collection[str]) -> Mapping[str, object]:
    """Returns `value` if it is a JSON object with no other fields than the known ones, none of them given twice."""
    if not isinstance(value, Mapping) or isinstance(value, _RepeatedKey):
        refuse_kind(value, path, "an object")
    for field in value:
        _check_key(field, path)
        if field not in known:
            _refuse((path, field), f"unknown field; known are {', '.join(known)}")
    return value


def require(value: object, path: str, kind: type[_T]) -> _T:
    """Returns `value` if it is of this kind of JSON."""
    if type(value) is not kind:
        refuse_kind(value, path, _KINDS[kind])
    return value


def copied(value: Any, path: _Path | str, level: int = 0) -> JSONValue:
    """A deep copy of a JSON value; refuses everything that JSON text would not give back equal."""
    kind = type(value)
    if kind is str:
        if not is_unicode(value):
            _refuse(path, "holds a lone surrogate, which is no Unicode text")
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
            _refuse(path, "has a key with a lone surrogate, which is no Unicode text")
        copy[key] = copied(item, (path, key), level + 1)
    return copy


def _check_key(key: object, path: _Path | str) -> None:
    if type(key) is not str:
        _refuse(path, f"has a key that is not text but {kind_of(key)}")


def is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_kind(value: object, path: _Path | str, expected: str) -> NoReturn:
    """Raises the CodecError of a value that is not what it must be, or of the key that stands in it twice."""
    if isinstance(value, _RepeatedKey):
        _refuse((path, value.key), "this key stands twice in its object")
    _refuse(path, f"must be {expected}, not {kind_of(value)}")


def kind_of(value: object) -> str:
    """What a value is in the words of JSON; of what JSON does not know, the name of its type."""
    return _KINDS.get(type(value), type(value).__name__)


def below(path: str, name: str) -> str:
    """The path of a field of what is at `path`."""
    return f"{path}.{name}" if path else name


def _refuse(path: _Path | str, reason: str) -> NoReturn:
    raise CodecError(_rendered(path), reason) from None


def _rendered(path: _Path | str) -> str:
    if isinstance(path, str):
        return path
    parent, step = _rendered(path[0]), path[1]
    if isinstance(step, str) and re.fullmatch(r"[A-Za-z_]\w{0,63}", step, re.ASCII):
        return below(parent, step)
    # Cut, and escaped to ASCII: a key can be megabytes long, or hold what no reply can carry.
    return f"{parent}[{json.dumps(step[:64] if isinstance(step, str) else step)}]"
