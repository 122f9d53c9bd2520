"""Errors as the caller sees them: by the error tree, as RFC 9457 has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from messagelog import errors
from messagelog.api.problems import ANSWERS, RequestError, problem_of
from messagelog.api.reply import problem
from messagelog.chat import errors as chat_errors
from messagelog.storage import ConditionFailedError
from messagelog.views.pages import PageTooLargeError

from tests.support.http_api import Received

SECRET = "a secret in an error"
STATUS: dict[type[Exception], tuple[Exception, int]] = {
    Exception: (Exception(SECRET), 500),
    errors.MessageLogError: (errors.MessageLogError(SECRET), 500),
    errors.NotWrittenError: (errors.NotWrittenError(SECRET), 500),
    errors.CodecError: (errors.CodecError("toolCalls[0].args.a", "is not a finite number"), 422),
    errors.MessageTooLargeError: (errors.MessageTooLargeError("too large"), 413),
    PageTooLargeError: (PageTooLargeError(3, 4, 5), 413),
    errors.ConflictError: (errors.ConflictError("others won"), 409),
    errors.ExpectedCountError: (errors.ExpectedCountError(7), 412),
    errors.IdempotencyMismatchError: (errors.IdempotencyMismatchError("other content"), 409),
    ConditionFailedError: (ConditionFailedError(0), 409),
    errors.ThrottledError: (errors.ThrottledError("throttled"), 429),
    errors.StorageUnavailableError: (errors.StorageUnavailableError("unreachable"), 503),
    errors.UnknownOutcomeError: (errors.UnknownOutcomeError("no answer"), 503),
    errors.WrittenError: (errors.WrittenError(SECRET), 500),
    errors.OnAppendError: (errors.OnAppendError((3, 4)), 500),
    chat_errors.PromptChangedError: (chat_errors.PromptChangedError(7), 412),
    chat_errors.SendRunningError: (chat_errors.SendRunningError(), 409),
    chat_errors.TurnDoneError: (chat_errors.TurnDoneError(), 409),
    chat_errors.NoModelError: (chat_errors.NoModelError("set CHAT_PROVIDER"), 503),
    chat_errors.LeaseLostError: (chat_errors.LeaseLostError(), 409),
    chat_errors.TurnFailedError: (chat_errors.TurnFailedError("go on"), 502),
    chat_errors.ProviderError: (chat_errors.ProviderError("refused", 401), 502),
}
TOLD = [error for error, status in STATUS.values() if status != 500]


def received(error: Exception, *, repeatable: bool = False) -> Received:
    return Received.of(problem(*problem_of(error, repeatable=repeatable)))


def subclass_of(error: Exception) -> Exception:
    """An error of a new class below that of `error`."""
    new: type[Exception] = type("NewError", (type(error),), {})
    return new(error.seqs) if isinstance(error, errors.OnAppendError) else new(*error.args)


def classes_below(kind: type[Exception]) -> Iterator[type[Exception]]:
    """The class and all classes of the package below it."""
    if kind.__module__.startswith("messagelog."):
        yield kind
        for subclass in kind.__subclasses__():
            yield from classes_below(subclass)


def test_every_error_class_has_a_row() -> None:
    assert {Exception, *classes_below(errors.MessageLogError)} == set(ANSWERS) == set(STATUS)


@pytest.mark.parametrize(("error", "status"), STATUS.values(), ids=[it.__name__ for it in STATUS])
def test_the_status_comes_from_the_error_class(error: Exception, status: int) -> None:
    assert received(error).status == status


@pytest.mark.parametrize("error", [error for error, _ in STATUS.values()], ids=type)
def test_a_new_subclass_is_answered_like_its_base(error: Exception) -> None:
    assert received(subclass_of(error)).json == received(error).json


@pytest.mark.parametrize("error", TOLD, ids=type)
def test_the_detail_is_the_errors_own(error: Exception) -> None:
    assert received(error).json["detail"] == str(error)


@pytest.mark.parametrize("error", TOLD, ids=type)
def test_each_error_class_has_its_own_type(error: Exception) -> None:
    kind = received(error).json["type"]
    assert kind.startswith("urn:messagelog:")
    assert kind not in [received(other).json["type"] for other in TOLD if other is not error]


@pytest.mark.parametrize(
    ("error", "members", "wait"),
    [
        (errors.CodecError("content", "is missing"), {"errors": [{"path": "content", "detail": "is missing"}]}, False),
        (errors.CodecError("", "must be an object"), {"errors": [{"path": "", "detail": "must be an object"}]}, False),
        (errors.MessageTooLargeError("x"), {}, False),
        (PageTooLargeError(3, 4, None), {"seqs": [3, 4], "next": None}, False),
        (errors.ConflictError("x"), {}, False),
        (errors.ExpectedCountError(7), {"count": 7}, False),
        (errors.IdempotencyMismatchError("x"), {}, False),
        (chat_errors.PromptChangedError(7), {"version": 7}, False),
        (chat_errors.SendRunningError(), {}, False),
        (chat_errors.NoModelError("x"), {}, True),
        (errors.ThrottledError("x"), {}, True),
        (errors.StorageUnavailableError("x"), {}, True),
        (errors.UnknownOutcomeError("x"), {"outcome": "unknown"}, False),
    ],
    ids=type,
)
def test_members_and_headers_beside_the_usual_ones(error: Exception, members: dict[str, Any], wait: bool) -> None:
    reply = received(error)
    assert {name: it for name, it in reply.json.items() if name not in ("type", "title", "status", "detail")} == members
    assert ("retry-after" in reply.headers) == wait
    assert int(reply.headers.get("retry-after", "1")) >= 1


def test_a_fault_of_the_stack_is_not_described_to_the_caller() -> None:
    error = errors.StorageUnavailableError(f"refused ({SECRET}); set {SECRET}", is_of_the_stack=True)
    reply = received(error)
    assert SECRET not in reply.body.decode()
    assert "logs" in reply.json["detail"], "where its name is"
    assert int(reply.headers["retry-after"]) >= 10, "it does not pass by itself in a second"


def test_the_caller_is_told_about_a_fault_to_repair() -> None:
    error = errors.StorageUnavailableError("no time was left: write what is large in parts")
    error.code = "OutOfTimeError"
    assert received(error).json["detail"] == str(error)


def test_the_caller_is_told_which_setting_a_model_needs() -> None:
    error = chat_errors.NoModelError("set CHAT_MODEL")
    error.code = "CHAT_MODEL"
    assert received(error).json["detail"] == "set CHAT_MODEL"


def test_an_unknown_outcome_invites_only_a_safe_retry() -> None:
    assert "retry-after" not in received(errors.UnknownOutcomeError("x")).headers
    reply = received(errors.UnknownOutcomeError("x"), repeatable=True)
    assert (reply.json["outcome"], int(reply.headers["retry-after"]) >= 1) == ("unknown", True)


@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        KeyError(SECRET),
        RecursionError(SECRET),
        MemoryError(SECRET),
        errors.MessageLogError(SECRET),
        errors.OnAppendError((3, 4)),
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


def test_a_bad_request_says_what_is_wrong_and_where() -> None:
    reply = received(RequestError(400, "Bad Request", "must be a whole number", "limit"))
    assert reply.json["detail"] == "must be a whole number"
    assert reply.json["errors"] == [{"path": "limit", "detail": "must be a whole number"}]


@pytest.mark.parametrize("path", ["\ud800", "a\0b", '"', "\u2028", "x" * 10_000], ids=lambda it: ascii(it[:9]))
def test_a_reply_can_carry_any_path(path: str) -> None:
    assert received(RequestError(400, "Bad Request", "is not known", path)).status == 400
