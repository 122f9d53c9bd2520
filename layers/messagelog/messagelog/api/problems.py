"""Errors as the caller sees them: RFC 9457 problem details, from one table of error classes.

An error is answered by the row of the first class in its method resolution order that has one. So a subclass without a
row of its own is answered like its base class.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from messagelog import errors
from messagelog.chat import errors as chat_errors
from messagelog.storage import ConditionFailedError
from messagelog.views.pages import PageTooLargeError


class Answer(NamedTuple):
    """How an error class is answered.

    Attributes:
        status: The HTTP status. A 500 tells the caller nothing about the error.
        title: The title of the problem.
        retry_after: The seconds after which another try may help; None if another try does not help.
    """

    status: int
    title: str
    retry_after: int | None = None


_INTERNAL = Answer(500, "Internal Server Error")
ANSWERS: dict[type[Exception], Answer] = {
    Exception: _INTERNAL,
    errors.MessageLogError: _INTERNAL,
    errors.NotWrittenError: _INTERNAL,
    errors.CodecError: Answer(422, "The body is not what this operation takes"),
    errors.MessageTooLargeError: Answer(413, "The message is too large"),
    PageTooLargeError: Answer(413, "The messages are too large for one reply"),
    errors.ConflictError: Answer(409, "Conflict with other writers"),
    errors.ExpectedCountError: Answer(412, "The log has moved on"),
    errors.IdempotencyMismatchError: Answer(409, "The idempotency key was used for other content"),
    ConditionFailedError: Answer(409, "Conflict with other writers"),
    chat_errors.PromptChangedError: Answer(412, "The prompt tree has changed"),
    chat_errors.SendRunningError: Answer(409, "A send is running"),
    chat_errors.TurnDoneError: Answer(409, "The turn is done"),
    errors.ThrottledError: Answer(429, "Throttled", retry_after=1),
    errors.StorageUnavailableError: Answer(503, "The storage is unavailable", retry_after=10),
    chat_errors.NoModelError: Answer(503, "No model is configured", retry_after=60),
    errors.UnknownOutcomeError: Answer(503, "The outcome is unknown", retry_after=1),
    errors.WrittenError: _INTERNAL,
    errors.OnAppendError: _INTERNAL,
    chat_errors.LeaseLostError: Answer(409, "Another send took over"),
    chat_errors.TurnFailedError: Answer(502, "The turn was not started"),
    chat_errors.ProviderError: Answer(502, "The model's provider failed"),
}
_SEE_LOGS = "Look for the request's id in the logs."
_STACK_IS_BROKEN = (
    "nothing was written; try again later, and if it does not help, look for the request's id in the logs"
)


class RequestError(Exception):
    """The request is malformed, so that no operation was tried.

    Attributes:
        status: The HTTP status.
        title: The title of the problem.
        detail: The fault, and how to correct the request.
        path: The parameter or header at fault; "" for the body, None for the request as a whole.
        code: Names the cause in the log, for a fault of the stack; else empty.
    """

    def __init__(self, status: int, title: str, detail: str, path: str | None = None, *, code: str = "") -> None:
        super().__init__(status, title, detail, path)
        self.status = status
        self.title = title
        self.detail = detail
        self.path = path
        self.code = code


def problem_of(error: Exception, *, repeatable: bool) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Returns the status, the problem document and the additional headers for an error.

    The document says nothing about an unforeseen error or a broken stack: their names are in the log. A missing model
    is the exception, because its text names settings only and its first reader is setting the stack up.

    Args:
        error: The error that the operation raised.
        repeatable: Whether the request is safe to send again: it has an idempotency key or an expected count.
    """
    if isinstance(error, RequestError):
        return error.status, _document(error.title, error.status, error.title, error.detail, error.path), {}
    kind = next(kind for kind in type(error).__mro__ if kind in ANSWERS)
    answer = ANSWERS[kind]
    if answer is _INTERNAL:
        return answer.status, _document("internal", answer.status, answer.title, _SEE_LOGS), {}
    document = _document(_words(kind), answer.status, answer.title, _detail(error))
    return answer.status, document | _extras(error), _headers(error, answer, repeatable)


def _detail(error: Exception) -> str:
    is_of_the_stack = isinstance(error, errors.StorageUnavailableError) and error.is_of_the_stack
    return _STACK_IS_BROKEN if is_of_the_stack else str(error)


def _extras(error: Exception) -> dict[str, Any]:
    """The members that an error adds to its problem document."""
    if isinstance(error, errors.CodecError):
        return {"errors": [{"path": error.path, "detail": error.reason}]}
    if isinstance(error, errors.ExpectedCountError):
        return {"count": error.count}
    if isinstance(error, chat_errors.PromptChangedError):
        return {"version": error.version}
    if isinstance(error, PageTooLargeError):
        return {"seqs": [error.first, error.last], "next": error.next}
    if isinstance(error, errors.UnknownOutcomeError):
        return {"outcome": "unknown"}
    return {}


def _headers(error: Exception, answer: Answer, repeatable: bool) -> dict[str, str]:
    """Retry-After, unless a blind retry could store the message twice."""
    is_unsafe = isinstance(error, errors.UnknownOutcomeError) and not repeatable
    return {} if answer.retry_after is None or is_unsafe else {"retry-after": str(answer.retry_after)}


def _document(name: str, status: int, title: str, detail: str, path: str | None = None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "type": "urn:messagelog:" + name.lower().replace(" ", "-"),
        "title": title,
        "status": status,
        "detail": detail,
    }
    if path is not None:
        document["errors"] = [{"path": path, "detail": detail}]
    return document


def _words(kind: type[Exception]) -> str:
    return " ".join(re.findall("[A-Z][a-z]+", kind.__name__.removesuffix("Error")))
