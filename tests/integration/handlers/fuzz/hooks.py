"""Changes to the requests that Schemathesis makes, where a schema cannot say enough or Schemathesis ignores it."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import schemathesis
from schemathesis import Case, HookContext

_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")


@schemathesis.hook
def before_call(context: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """Changes a request before it is sent.

    The phase "coverage" never puts quotation marks into an If-Match, whatever the pattern says. Such a header is taken
    out, because its fault would hide every fault of the body. Its other wrong values stay.

    A schema cannot say that the offset of a file lies within the content. A larger one becomes the largest. It
    cannot say how many days a month has. A day that does not exist becomes another one.
    """
    if case.headers and case.headers.get("If-Match") == "0":
        del case.headers["If-Match"]
    for body in _objects([case.body]):
        for message in (body, *_objects(body.get("messages"))):
            _keep_files_within(message)
            _keep_to_the_calendar(message)


def _keep_files_within(message: dict[str, Any]) -> None:
    content = message.get("content")
    for file in _objects(message.get("files")):
        if isinstance(content, str) and type(file.get("offset")) is int:
            file["offset"] = min(file["offset"], len(content))


def _keep_to_the_calendar(message: dict[str, Any]) -> None:
    created = message.get("createdAt")
    if isinstance(created, str) and _TIMESTAMP.fullmatch(created):
        try:
            datetime.fromisoformat(created)
        except ValueError:
            message["createdAt"] = "2026-03-01T12:00:00.000000Z"


def _objects(values: Any) -> Iterator[dict[str, Any]]:
    return (value for value in values if isinstance(value, dict)) if isinstance(values, list) else iter(())
