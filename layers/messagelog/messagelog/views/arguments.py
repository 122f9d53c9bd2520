"""Converts the args of a tool call to the form that a provider accepts: a JSON object, as a value or as text."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from messagelog.messages import JSONValue
from messagelog.strictjson import checked

OTHER = "args"
"""The key for args that are not an object."""

_dumped = json.JSONEncoder(ensure_ascii=False).encode


def as_text(args: JSONValue) -> str:
    """Returns the JSON text of args without any repair.

    Text is returned unchanged, because it is what the model wrote. Missing args (`None`, blank text) are `{}`.
    """
    if _is_missing(args):
        return "{}"
    return args if isinstance(args, str) else _dumped(args)


def as_object_text(args: JSONValue) -> str:
    """Returns the text of a JSON object for args.

    Text that holds a JSON object is returned as it is, and missing args are `{}`. Anything else goes under the key
    `args`. OpenAI itself takes any text, but others parse the arguments of past calls and refuse the request if they
    are not an object: vLLM (`_postprocess_messages` in vllm/entrypoints/chat_utils.py), llama-server.
    """
    if isinstance(args, dict):
        return _dumped(args)
    if _is_missing(args):
        return "{}"
    return args if isinstance(args, str) and _holds_object(args) else _dumped({OTHER: args})


def as_object(args: JSONValue) -> dict[str, JSONValue]:
    """Returns args as an object, which shares what is inside with them.

    Text that holds a JSON object is parsed, and missing args are `{}`. Anything else is stored under the key `args`.
    This includes the text of an object that parsing would change.
    """
    if _is_missing(args):
        return {}
    value = parsed(args) if isinstance(args, str) else args
    return value if isinstance(value, dict) else {OTHER: args}


def parsed(text: str) -> JSONValue:
    """Returns the value of a JSON text, or the text itself if it is not JSON or if parsing would change it.

    Parsing would change a duplicate key, NaN, infinities, a number that a float or an int does not hold exactly, a lone
    surrogate, and nesting over 200 levels.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_refuse)
        return checked(value, "")
    except (ValueError, ArithmeticError, RecursionError):
        return text


def _is_missing(args: JSONValue) -> bool:
    return args is None or (isinstance(args, str) and not args.strip())


def _holds_object(text: str) -> bool:
    """Whether every JSON parser reads an object from the text. A duplicate key or a rounded number is allowed."""
    try:
        value = checked(json.loads(text, parse_constant=_refuse), "")
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _refuse("duplicate key")


def _int(text: str) -> int:
    return int(text) if text != "-0" else _refuse(text)


def _float(text: str) -> float:
    value = float(text)
    return value if Decimal(repr(value)) == Decimal(text) else _refuse(text)


def _refuse(what: str) -> Any:
    raise ValueError(what)
