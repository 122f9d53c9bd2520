"""The args of a tool call as a provider takes them: OpenAI as JSON text, Anthropic and Bedrock as an object."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from messagelog.messages import JSONValue
from messagelog.strictjson import copied

OTHER = "args"
"""The key that args other than an object go under, where a provider takes only an object."""


def as_text(args: JSONValue) -> str:
    """The JSON text of args, never encoded twice: text goes as it is, since a model wrote it as its arguments.

    No args (`None`, blank text) are `{}`. Non-ASCII stays as it is.
    """
    if _is_none(args):
        return "{}"
    return args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)


def as_object(args: JSONValue) -> dict[str, JSONValue]:
    """Args as an object that shares nothing with them: text that holds a JSON object is parsed, no args are `{}`.

    Any other value goes under the key `args`; so does the text of an object that parsing would change.
    """
    if _is_none(args):
        return {}
    value = parsed(args) if isinstance(args, str) else copied(args, "")
    return value if isinstance(value, dict) else {OTHER: copied(args, "")}


def parsed(text: str) -> JSONValue:
    """The value of a JSON text, or the text itself where it is no JSON or its value would not be the same again.

    Not the same again are: a key given twice, NaN and infinities, a number that a float or an int does not hold
    exactly, half of a surrogate pair, nesting over 200 levels.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_refused)
        return copied(value, "")
    except (ValueError, ArithmeticError, RecursionError):
        return text


def _is_none(args: JSONValue) -> bool:
    return args is None or (isinstance(args, str) and not args.strip())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _refused("a key given twice")


def _int(text: str) -> int:
    return int(text) if text != "-0" else _refused(text)


def _float(text: str) -> float:
    value = float(text)
    return value if Decimal(repr(value)) == Decimal(text) else _refused(text)


def _refused(what: str) -> Any:
    raise ValueError(what)
