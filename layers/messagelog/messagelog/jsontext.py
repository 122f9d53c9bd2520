"""Measures a JSON text before it is parsed: how deep it nests, and how many containers it has.

A container is a list or an object. Both numbers are limited before parsing, because a small text can need a lot of
memory: an empty list takes two bytes of text, and 88 bytes in Python.
"""

from __future__ import annotations

import re

# A string, or brackets outside of strings. A string without an end also matches, so that the scan takes linear time.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]++|[\]}]++', re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


def is_deeper(text: str, levels: int) -> bool:
    """Whether the JSON text nests lists and objects deeper than `levels`."""
    return _brackets(text) > levels and _levels(text) > levels


def has_more_containers(text: str, number: int) -> bool:
    """Whether the JSON text has more than so many lists and objects."""
    return _brackets(text) > number and _brackets(_STRING.sub("", text)) > number


def _brackets(text: str) -> int:
    return text.count("[") + text.count("{")


def _levels(text: str) -> int:
    deepest = level = 0
    for token in _TOKEN.finditer(text):
        match text[token.start()]:
            case "[" | "{":
                level += token.end() - token.start()
                deepest = max(deepest, level)
            case "]" | "}":
                level -= token.end() - token.start()
    return deepest
