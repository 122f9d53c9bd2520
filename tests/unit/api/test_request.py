"""Requests by themselves: which names a conversation can have, and what a query, a header and a body say."""

from __future__ import annotations

import json
import sys
import unicodedata
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messagelog import CodecError, MessageLog
from messagelog.api import Request
from messagelog.api.problems import RequestError
from messagelog.memory import MemoryStorage


def request(**event: Any) -> Request:
    return Request(event, lambda conversation: MessageLog(MemoryStorage()))


def in_path(conversation: object) -> Request:
    return request(pathParameters={"conversation": conversation})


def refused(raises: Any) -> RequestError:
    with pytest.raises(RequestError) as error:
        raises()
    return error.value


def outcome(run: Callable[[], Any]) -> tuple[Any, int | None]:
    """What `run` returns, or the status of the error it raises on purpose."""
    try:
        return run(), None
    except CodecError:
        return None, 422
    except RequestError as error:
        return None, error.status


GOOD = {
    "plain": "support-4711",
    "slashes": "a/b//c",
    "dots": "...",
    "dot in it": "./a",
    "percent": "a%2Fb%00",
    "quotes": '"it\'s" `x`',
    "backslash": "a\\b",
    "space": " a b ",
    "url": "https://example.com/?a=b&c=d#e",
    "emoji": "😀",
    "emoji of many parts": "👩‍👩‍👧‍👦🏳️‍🌈",
    "joiners in words": "می‌خواهم",
    "combining": "e\u0301",
    "hebrew": "שלום",
    "256 bytes": "x" * 256,
    "256 bytes of emoji": "😀" * 64,
}
BAD = {
    "empty": "",
    "dot": ".",
    "dots": "..",
    "257 bytes": "x" * 257,
    "257 bytes of two each": "é" * 128 + "x",
    "nul": "\0",
    "newline": "a\nb",
    "tab": "a\tb",
    "escape": "\x1b[31m",
    "delete": "\x7f",
    "c1": "\x9b",
    "line separator": "a\u2028b",
    "direction": "\u202eabc",
    "byte order mark": "\ufeffa",
    "lone surrogate": "\ud83d",
    "not text": 7,
    "null": None,
    "list": ["a"],
}


@pytest.mark.parametrize("name", GOOD.values(), ids=GOOD)
def test_a_conversation_is_taken_as_it_is(name: str) -> None:
    assert in_path(name).conversation == name


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_what_is_no_conversation_is_refused_and_not_repeated(name: Any) -> None:
    error = refused(lambda: in_path(name).conversation)
    assert error.status == 400
    assert "256" in error.detail, "it says what is allowed"


def test_no_control_character_is_part_of_a_name() -> None:
    controls = [
        char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
    ]
    assert len(controls) > 2_000
    for char in controls:
        assert refused(lambda name=f"a{char}": in_path(name).conversation).status == 400


@given(st.text(max_size=300))
def test_a_conversation_is_itself_or_refused(name: str) -> None:
    taken, status = outcome(lambda: in_path(name).conversation)
    assert (taken, status) in ((name, None), (None, 400))


@given(st.text(), st.text())
def test_the_hash_tells_conversations_apart(one: str, other: str) -> None:
    assert (in_path(one).conversation_hash == in_path(other).conversation_hash) == (one == other)


def test_the_log_is_opened_when_it_is_asked_for_and_once() -> None:
    opened: list[str] = []

    def open_log(conversation: str) -> MessageLog:
        opened.append(conversation)
        return MessageLog(MemoryStorage())

    asked = Request({"pathParameters": {"conversation": "a"}}, open_log)
    assert opened == []
    assert asked.log is asked.log
    assert opened == ["a"]


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("007", 7), ("9" * 12, 10**12 - 1)])
def test_a_number_is_its_digits(text: str, number: int) -> None:
    assert request(queryStringParameters={"n": text}).number("n") == number


@pytest.mark.parametrize("query", [None, {}, {"m": "1"}, {"N": "1"}])
def test_without_the_parameter_there_is_no_number(query: Any) -> None:
    assert request(queryStringParameters=query).number("n") is None


def test_a_number_has_a_minimum() -> None:
    error = refused(lambda: request(queryStringParameters={"n": "1"}).number("n", minimum=2))
    assert (error.status, error.path) == (400, "n")


@example("٣")
@example("²")
@given(st.text())
def test_any_text_is_a_number_or_refused(text: str) -> None:
    asked = request(queryStringParameters={"n": text})
    if text.isascii() and text.isdigit() and len(text) <= 12:
        assert asked.number("n") == int(text)
    else:
        assert refused(lambda: asked.number("n")).status == 400


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_a_flag_is_true_or_false(text: str, value: bool) -> None:
    assert request(queryStringParameters={"f": text}).flag("f") is value
    assert request().flag("f") is False


@pytest.mark.parametrize("text", ["", "1", "True", "yes", "true,true", " true"])
def test_no_other_word_is_a_flag(text: str) -> None:
    error = refused(lambda: request(queryStringParameters={"f": text}).flag("f"))
    assert (error.status, error.path) == (400, "f")


@given(st.binary(), st.booleans())
def test_any_bytes_are_a_body_or_refused(data: bytes, plain: bool) -> None:
    headers = {"content-type": "text/plain"} if plain else None
    asked = request(headers=headers, body=b64encode(data).decode(), isBase64Encoded=True)
    content, status = outcome(asked.content)
    assert status in (None, 400, 422)
    if plain and status is None:
        assert content.encode() == data


# What is JSON to Python's parser, though it is none or not to be stored, is among these.
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(json_like)
def test_any_json_is_a_message_or_refused(value: Any) -> None:
    asked = request(body=json.dumps(value))
    _, status = outcome(lambda: MessageLog(MemoryStorage()).append(asked.message()))
    assert status in (None, 400, 422)
