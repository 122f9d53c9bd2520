"""Errors as the caller sees them: by the error tree, as RFC 9457 has it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from messagelog import errors
from messagelog.api.problems import RequestError, problem_of
from messagelog.api.reply import problem
from messagelog.chat.errors import (
    LeaseLostError,
    NoModelError,
    PromptChangedError,
    ProviderError,
    SendRunningError,
    TurnDoneError,
    TurnFailedError,
)
from messagelog.errors import (
    CodecError,
    ConflictError,
    ExpectedCountError,
    IdempotencyMismatchError,
    MessageLogError,
    MessageTooLargeError,
    OnAppendError,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)

from tests.support.http_api import Received

SECRET = "a secret in an error"
STATUS: dict[type[Exception], tuple[Exception, int]] = {
    MessageLogError: (MessageLogError(SECRET), 500),
    CodecError: (CodecError("toolCalls[0].args.a", "is not a finite number"), 422),
    MessageTooLargeError: (MessageTooLargeError("too large"), 413),
    ConflictError: (ConflictError("others won"), 409),
    ExpectedCountError: (ExpectedCountError(7), 412),
    PromptChangedError: (PromptChangedError(7), 412),
    SendRunningError: (SendRunningError(), 409),
    LeaseLostError: (LeaseLostError(), 409),
    TurnDoneError: (TurnDoneError(), 409),
    IdempotencyMismatchError: (IdempotencyMismatchError("another content"), 409),
    ThrottledError: (ThrottledError("throttled"), 429),
    StorageUnavailableError: (StorageUnavailableError("unreachable"), 503),
    UnknownOutcomeError: (UnknownOutcomeError("no answer"), 503),
    OnAppendError: (OnAppendError((3, 4)), 500),
    TurnFailedError: (TurnFailedError("go on"), 502),
    NoModelError: (NoModelError("set CHAT_PROVIDER"), 503),
    ProviderError: (ProviderError("refused", 401), 500),
}


def received(error: Exception, *, repeatable: bool = False) -> Received:
    return Received.of(problem(*problem_of(error, repeatable=repeatable)))


def subclass_of(error: Exception) -> Exception:
    """An error of a new class below that of `error`."""
    new = type("NewError", (type(error),), {})
    return new(*error.args) if not isinstance(error, OnAppendError) else new(error.seqs)


def test_every_error_of_the_library_has_a_row_here() -> None:
    classes = {it for _, it in inspect.getmembers(errors, inspect.isclass) if issubclass(it, Exception)}
    assert classes == set(STATUS)


@pytest.mark.parametrize(("error", "status"), STATUS.values(), ids=[it.__name__ for it in STATUS])
def test_the_status_comes_from_the_error_tree(error: Exception, status: int) -> None:
    assert received(error).status == status
    assert received(subclass_of(error)).status == status


@pytest.mark.parametrize("error", [error for error, status in STATUS.values() if status != 500], ids=type)
def test_the_detail_is_the_errors_own(error: Exception) -> None:
    assert received(error).json["detail"] == str(error)


@pytest.mark.parametrize("error", [error for error, status in STATUS.values() if status != 500], ids=type)
def test_each_kind_of_error_has_a_type_of_its_own(error: Exception) -> None:
    document = received(error).json
    assert document["type"].startswith("urn:messagelog:")
    others = [received(other).json["type"] for other, status in STATUS.values() if status != 500 and other is not error]
    assert document["type"] not in others


@pytest.mark.parametrize(
    ("error", "members", "wait"),
    [
        (CodecError("content", "is missing"), {"errors": [{"path": "content", "detail": "is missing"}]}, False),
        (CodecError("", "must be an object"), {"errors": [{"path": "", "detail": "must be an object"}]}, False),
        (MessageTooLargeError("x"), {}, False),
        (ConflictError("x"), {}, False),
        (ExpectedCountError(7), {"count": 7}, False),
        (IdempotencyMismatchError("x"), {}, False),
        (PromptChangedError(7), {"version": 7}, False),
        (SendRunningError(), {}, False),
        (NoModelError("x"), {}, True),
        (ThrottledError("x"), {}, True),
        (StorageUnavailableError("x"), {}, True),
        (UnknownOutcomeError("x"), {"outcome": "unknown"}, False),
    ],
    ids=type,
)
def test_what_a_problem_tells_beside_the_usual(error: Exception, members: dict[str, Any], wait: bool) -> None:
    reply = received(error)
    assert {name: it for name, it in reply.json.items() if name not in ("type", "title", "status", "detail")} == members
    assert ("retry-after" in reply.headers) == wait
    assert int(reply.headers.get("retry-after", "1")) >= 1


def test_what_is_wrong_with_the_tables_is_not_told_to_the_caller() -> None:
    error = StorageUnavailableError(f"refused ({SECRET}); set {SECRET}", is_of_the_stack=True)
    reply = received(error)
    assert SECRET not in reply.body.decode()
    assert "logs" in reply.json["detail"], "where its name is"
    assert int(reply.headers["retry-after"]) >= 10, "it does not pass by itself in a second"


def test_what_the_caller_can_mend_is_told_though_it_has_a_name() -> None:
    error = StorageUnavailableError("no time was left: write what is large in parts")
    error.code = "OutOfTimeError"
    assert received(error).json["detail"] == str(error)


def test_the_caller_is_told_which_setting_a_model_lacks() -> None:
    error = NoModelError("set CHAT_MODEL")
    error.code = "CHAT_MODEL"
    assert received(error).json["detail"] == "set CHAT_MODEL"


def test_an_unknown_outcome_says_when_to_try_again_only_if_that_is_safe() -> None:
    assert "retry-after" not in received(UnknownOutcomeError("x")).headers
    reply = received(UnknownOutcomeError("x"), repeatable=True)
    assert (reply.json["outcome"], int(reply.headers["retry-after"]) >= 1) == ("unknown", True)


@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        KeyError(SECRET),
        RecursionError(SECRET),
        MemoryError(SECRET),
        MessageLogError(SECRET),
        OnAppendError((3, 4)),
        ExceptionGroup(SECRET, [ValueError(SECRET)]),
    ],
    ids=type,
)
def test_an_unforeseen_error_reveals_nothing(error: Exception) -> None:
    reply = received(error)
    assert reply.status == 500
    assert set(reply.json) == {"type", "title", "status", "detail"}
    assert SECRET not in reply.body.decode()
    assert type(error).__name__ not in reply.body.decode()


def test_a_bad_request_tells_what_and_where() -> None:
    reply = received(RequestError(400, "Bad Request", "must be a whole number", "limit"))
    assert reply.json["detail"] == "must be a whole number"
    assert reply.json["errors"] == [{"path": "limit", "detail": "must be a whole number"}]


@pytest.mark.parametrize("path", ["\ud800", "a\0b", '"', "\u2028", "x" * 10_000], ids=lambda it: ascii(it[:9]))
def test_whatever_the_path_is_a_reply_can_carry_it(path: str) -> None:
    assert received(RequestError(400, "Bad Request", "is not known", path)).status == 400
