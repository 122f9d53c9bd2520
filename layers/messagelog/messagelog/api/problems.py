"""Errors as the caller sees them: RFC 9457 problem details, by one table from error class to status."""

from __future__ import annotations

import re
from typing import Any

from messagelog import errors
from messagelog.chat import errors as chat_errors
from messagelog.views.pages import PageTooLargeError

# Status, title, and the seconds after which another try may help.
_ANSWERS: dict[type[Exception], tuple[int, str, int | None]] = {
    errors.CodecError: (422, "The body is not what this operation takes", None),
    errors.MessageTooLargeError: (413, "The message is too large", None),
    errors.ExpectedCountError: (412, "The log has moved on", None),
    chat_errors.PromptChangedError: (412, "The prompt tree has changed", None),
    errors.ConflictError: (409, "Conflict with other writers", None),
    errors.ThrottledError: (429, "Throttled", 1),
    errors.StorageUnavailableError: (503, "The storage is unavailable", 10),
    errors.UnknownOutcomeError: (503, "The outcome is unknown", 1),
    chat_errors.LeaseLostError: (409, "Another send took over", None),
    chat_errors.ProviderError: (502, "The model's provider failed", None),
    chat_errors.TurnFailedError: (502, "The turn was not started", None),
    chat_errors.NoModelError: (503, "No model is configured", 60),
}
_UNTOLD = "nothing was written; try again later, and if it stays so, look for the request's id in the logs"


class RequestError(Exception):
    """A request that no operation can be made of. `path` names the parameter or header at fault; the body is ""."""

    def __init__(self, status: int, title: str, detail: str, path: str | None = None) -> None:
        super().__init__(status, title, detail, path)
        self.status = status
        self.title = title
        self.detail = detail
        self.path = path


def problem_of(error: Exception, *, repeatable: bool) -> tuple[int, dict[str, Any], dict[str, str]]:
    """The status, the problem document and the further headers for an error.

    Of an unforeseen one it tells nothing, nor of what is wrong with the stack, which is for the log and its readers.
    Only that there is no model it tells: who sets a stack up sends first, and the text names settings alone.
    `repeatable`: the request carried what makes it safe to send again, an idempotency key or an expected count.
    """
    if isinstance(error, RequestError):
        return error.status, _document(error.title, error.status, error.title, error.detail, error.path), {}
    for kind in type(error).__mro__:
        if kind in _ANSWERS:
            status, title, seconds = _ANSWERS[kind]
            document = _document(_words(error), status, title, _detail(error)) | _extras(error)
            return status, document, _headers(error, seconds, repeatable)
    return 500, _document("internal", 500, "Internal Server Error", "Look for the request's id in the logs."), {}


def _detail(error: Exception) -> str:
    return _UNTOLD if isinstance(error, errors.StorageUnavailableError) and error.is_of_the_stack else str(error)


def _extras(error: Exception) -> dict[str, Any]:
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


def _headers(error: Exception, seconds: int | None, repeatable: bool) -> dict[str, str]:
    """A blind retry of an unknown outcome could store the message twice."""
    if seconds is None or (isinstance(error, errors.UnknownOutcomeError) and not repeatable):
        return {}
    return {"retry-after": str(seconds)}


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


def _words(error: Exception) -> str:
    return " ".join(re.findall("[A-Z][a-z]+", type(error).__name__.removesuffix("Error")))
