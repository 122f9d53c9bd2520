"""Requests by themselves: which names a conversation can have, and what a query, a header and a body say."""

from __future__ import annotations

import json
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
    """Returns the result of `run`, or the status of the error that it raises on purpose."""
    try:
        return run(), None
    except CodecError:
        return None, 422
    except RequestError as error:
        return None, error.status


@pytest.mark.parametrize("name", ["support-4711", "a%2Fb", " a ", "😀", "x" * 256])
def test_a_conversation_name_is_taken_as_it_is(name: str) -> None:
    assert in_path(name).path.conversation == name


@pytest.mark.parametrize("name", ["", ".", "a/b", "a?b", "\0", "x" * 257, "\ud83d", 7, None], ids=ascii)
def test_a_bad_conversation_name_is_refused(name: Any) -> None:
    error = refused(lambda: in_path(name).path.conversation)
    assert (error.status, error.path) == (400, "conversation")
    assert "256" in error.detail, "it says what is allowed"


@given(st.text(max_size=300))
def test_a_conversation_is_itself_or_refused(name: str) -> None:
    taken, status = outcome(lambda: in_path(name).path.conversation)
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
    assert request(queryStringParameters={"n": text}).query.number("n") == number


@pytest.mark.parametrize("query", [None, {}, {"m": "1"}, {"N": "1"}])
def test_a_missing_parameter_is_none(query: Any) -> None:
    assert request(queryStringParameters=query).query.number("n") is None


def test_a_number_has_a_minimum() -> None:
    error = refused(lambda: request(queryStringParameters={"n": "1"}).query.number("n", minimum=2))
    assert (error.status, error.path) == (400, "n")


@example("٣")
@example("²")
@given(st.text())
def test_any_text_is_a_number_or_refused(text: str) -> None:
    asked = request(queryStringParameters={"n": text})
    if text.isascii() and text.isdigit() and len(text) <= 12:
        assert asked.query.number("n") == int(text)
    else:
        assert refused(lambda: asked.query.number("n")).status == 400


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_a_flag_is_true_or_false(text: str, value: bool) -> None:
    assert request(queryStringParameters={"f": text}).query.flag("f") is value
    assert request().query.flag("f") is None


@pytest.mark.parametrize("text", ["", "1", "True", "yes", "true,true", " true"])
def test_no_other_word_is_a_flag(text: str) -> None:
    error = refused(lambda: request(queryStringParameters={"f": text}).query.flag("f"))
    assert (error.status, error.path) == (400, "f")


@given(st.binary(), st.booleans())
def test_any_bytes_are_a_body_or_refused(data: bytes, plain: bool) -> None:
    headers = {"content-type": "text/plain"} if plain else None
    asked = request(headers=headers, body=b64encode(data).decode(), isBase64Encoded=True)
    content, status = outcome(asked.body.content)
    assert status in (None, 400, 422)
    if plain and status is None:
        assert content.encode() == data


# These include values that Python's parser accepts although they are not JSON or cannot be stored.
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(json_like)
def test_any_json_is_a_message_or_refused(value: Any) -> None:
    asked = request(body=json.dumps(value))
    _, status = outcome(lambda: MessageLog(MemoryStorage()).append(asked.body.message()))
    assert status in (None, 400, 422)
