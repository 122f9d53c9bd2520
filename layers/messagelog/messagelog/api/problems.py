"""Errors as the caller sees them: RFC 9457 problem details, by one table from error class to status."""

from __future__ import annotations

import re
from typing import Any

from messagelog import errors

_STATUS: dict[type[Exception], tuple[int, str]] = {
    errors.CodecError: (422, "The message cannot be stored as it is"),
    errors.MessageTooLargeError: (413, "The message is too large"),
    errors.ExpectedCountError: (412, "The log has moved on"),
    errors.ConflictError: (409, "Conflict with other writers"),
    errors.ThrottledError: (429, "Throttled"),
    errors.StorageUnavailableError: (503, "The storage is unavailable"),
    errors.UnknownOutcomeError: (503, "The outcome is unknown"),
}
_RETRY_AFTER_SECONDS = "1"


class RequestError(Exception):
    """A request that no operation can be made of. `path` names the query parameter or header at fault, if any."""

    def __init__(self, status: int, title: str, detail: str, path: str | None = None) -> None:
        super().__init__(status, title, detail, path)
        self.status = status
        self.title = title
        self.detail = detail
        self.path = path


def problem_of(error: Exception) -> tuple[int, dict[str, Any], dict[str, str]]:
    """The status, the problem document and the further headers for an error. Of an unforeseen one it tells nothing."""
    if isinstance(error, RequestError):
        document = _document("about:blank", error.title, error.status, error.detail)
        if error.path is not None:
            document["errors"] = [{"path": error.path, "detail": error.detail}]
        return error.status, document, {}
    for kind in type(error).__mro__:
        if kind in _STATUS:
            return _problem_of(error, *_STATUS[kind])
    return 500, _document("about:blank", "Internal Server Error", 500, "Look for the request's id in the logs."), {}


def _problem_of(error: Exception, status: int, title: str) -> tuple[int, dict[str, Any], dict[str, str]]:
    document = _document(_type_of(error), title, status, str(error))
    headers = {"retry-after": _RETRY_AFTER_SECONDS} if status in (429, 503) else {}
    if isinstance(error, errors.CodecError):
        document["detail"] = error.reason
        document["errors"] = [{"path": error.path, "detail": error.reason}]
    if isinstance(error, errors.ExpectedCountError):
        document["count"] = error.count
    if isinstance(error, errors.UnknownOutcomeError):
        document["outcome"] = "unknown"
        headers = {}  # a blind retry could store the message twice
    return status, document, headers


def _document(type_: str, title: str, status: int, detail: str) -> dict[str, Any]:
    return {"type": type_, "title": title, "status": status, "detail": detail}


def _type_of(error: Exception) -> str:
    words = re.findall("[A-Z][a-z]+", type(error).__name__.removesuffix("Error"))
    return "urn:messagelog:" + "-".join(words).lower()
