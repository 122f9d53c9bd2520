"""Bodies of up to 6 MB that cost as much as possible to read, by kind. All kinds are of ASCII or UTF-8."""

from __future__ import annotations

import json
from collections.abc import Callable

MEGABYTES = 6_000_000
NEAR_THE_CEILING = 3_450_000  # of lists and objects; the view for OpenAI takes a third more

Make = Callable[[int], str]
_HEAD, _TAIL = '{"role":"assistant","content":"","toolCalls":[{"id":"a","name":"f","args":', "}]}"


def _repeated(piece: str, head: str, tail: str, separator: str = ",") -> Make:
    each = len((piece + separator).encode())
    return lambda size: head + separator.join([piece] * ((size - len((head + tail).encode())) // each)) + tail


def _text(piece: str, head: str = "") -> Make:
    return _repeated(piece, '{"role":"user","content":"' + head, '"}', "")


def _args(piece: str) -> Make:
    """Args that are a list of this piece."""
    return _repeated(piece, f"{_HEAD}[", f"]{_TAIL}")


def _text_args(piece: str) -> Make:
    """Args that are the text of an object."""
    inner = _repeated(piece, '{"a":[', "]}")
    return lambda size: _HEAD + json.dumps(inner(size - 200)) + _TAIL


def _batch(message: str) -> Make:
    return _repeated(message, '{"messages":[', "]}")


def _numbered(pattern: str, head: str, tail: str) -> Make:
    """Pieces that all differ."""
    return lambda size: head + ",".join(pattern.format(number) for number in range(size // (len(pattern) + 4))) + tail


APPENDED: dict[str, Make] = {
    "text": _text("a"),
    "text with an emoji": _text("a", "😀"),
    "controls": _text("\\u0000"),
    "quotes": _text('\\"'),
    "lone surrogates": _text("\\ud800"),
    "small numbers": _args("1"),
    "numbers": _numbered("1{}", f"{_HEAD}[", f"]{_TAIL}"),
    "floats": _args("1.5"),
    "written-out floats": _args("1e15"),
    "long integers": _args("9" * 4300),
    "one long integer": lambda size: f"{_HEAD}{'9' * (size - 100)}{_TAIL}",
    "lists": _args("[]"),
    "objects": _args("{}"),
    "lists of one": _args("[1]"),
    "objects of one": _args('{"a":1}'),
    "keys": _numbered('"{:x}":1', f"{_HEAD}{{", f"}}{_TAIL}"),
    "repeated keys": _repeated('"a":1', f"{_HEAD}{{", f"}}{_TAIL}"),
    "short texts": _numbered('"{:x}"', f"{_HEAD}[", f"]{_TAIL}"),
    "deep lists": _args("[" * 190 + "]" * 190),
    "deep objects": _args('{"a":' * 190 + "1" + "}" * 190),
    "too deep": lambda size: f"{_HEAD}{'[' * (size // 2)}{']' * (size // 2)}{_TAIL}",
    "no end": lambda size: f"{_HEAD}{'[' * size}",
    "calls of nothing": _repeated('{"id":"","name":"","args":{}}', _HEAD.partition("[")[0] + "[", "]}"),
    "text args of numbers": _text_args("1"),
    "text args of floats": _text_args("1.5"),
    "text args of lists": _text_args("[1]"),
    "text args of deep lists": _text_args("[" * 190 + "]" * 190),
    "unknown fields": _numbered('"{:x}":1', "{", "}"),
    "ignored fields": _repeated("[]", '{"role":"user","content":"","seq":[', "]}"),
    "many files": _repeated('{"mediaType":"a/b","url":"https://a"}', '{"role":"user","content":"","files":[', "]}"),
    "spaces": lambda size: '{"role":"user","content":""' + " " * (size - 40) + "}",
}
BATCHES: dict[str, Make] = {
    "empty messages": _batch('{"role":"user","content":""}'),
    "messages with calls": _batch('{"role":"assistant","content":"","toolCalls":[{"id":"","name":"","args":[{}]}]}'),
    "numbers": _batch("1"),
    "objects": _batch("{}"),
}
