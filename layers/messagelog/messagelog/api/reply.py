"""Replies of a Lambda function to an HTTP API (payload 2.0), never larger than Lambda allows.

Lambda takes a reply of at most 6,291,556 bytes of JSON. The body in it is a string, so it is escaped once more. A small
body is sent as text, because it fits even if every character is escaped. A larger one is sent base64-encoded, because
its size is then known exactly. API Gateway decodes it again.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import Any, TypedDict

from messagelog import codec
from messagelog.messages import StoredMessage
from messagelog.reply_limit import MAX_BODY_BYTES, ROOM
from messagelog.storage import Appended
from messagelog.strictjson import dumps

# An escape makes at most six bytes of one.
_TEXT_BODY_BYTES = MAX_BODY_BYTES // 8


class Reply(TypedDict):
    """The reply of a function."""

    statusCode: int
    headers: dict[str, str]
    body: str
    isBase64Encoded: bool


def ok(value: object, *, count: int | None = None) -> Reply:
    """Returns 200 with a JSON body.

    Args:
        value: The body.
        count: The number of messages in the log as this reply shows it. It becomes the ETag.
    """
    return _reply(200, dumps(value).encode(), count)


def created(appended: Appended) -> Reply:
    """Returns 201 with the last seq. A replay has no ETag, because others may have appended since the first time."""
    return _reply(201, dumps({"seq": appended.seq}).encode(), None if appended.replayed else appended.seq)


def accepted(value: object) -> Reply:
    """Returns 202 with a JSON body: the request is stored and will be done."""
    return _reply(202, dumps(value).encode(), None)


def problem(status: int, document: dict[str, Any], headers: dict[str, str]) -> Reply:
    """Returns an error as a problem document of RFC 9457."""
    reply = _reply(status, dumps(document).encode(errors="replace"), None)
    reply["headers"] = {"content-type": "application/problem+json", **headers}
    return reply


def page(messages: Iterable[StoredMessage], *, after: int, limit: int | None) -> Reply:
    """Returns as many of the messages as fit, oldest first. `next` is null at the log's end.

    The reply has the count as its ETag only if it shows the end: a reader who has not seen the end cannot match it.

    Args:
        messages: The messages after `after`. There may be one more than the limit, to show whether this is the end.
        after: The seq after which the page begins.
        limit: The largest number of messages; None for no limit.
    """
    lines, end, at_end = _oldest_that_fit(messages, after, limit)
    if not at_end:
        return _reply(200, _messages_body(lines, next_after=end), None)
    return _reply(200, _messages_body(lines, next_after=None), None if after and not lines else end)


def chat_page(
    messages: Iterable[StoredMessage], *, after: int, limit: int | None, running: bool, failed: bool
) -> Reply:
    """Returns a page of a chat. See `page`. It has no ETag, because the log may hold more than the chat shows."""
    lines, end, at_end = _oldest_that_fit(messages, after, limit)
    return _reply(200, _messages_body(lines, next_after=None if at_end else end, running=running, failed=failed), None)


def newest_page(newest_first: Iterable[StoredMessage], *, n: int) -> Reply:
    """Returns as many of the last n messages as fit, oldest first. The newest are kept.

    If older ones are left out, `next` is the `after` from which a forward read returns them. Else it is null.
    """
    lines: list[bytes] = []
    size, count, next_after = 0, 0, None
    for message in newest_first:
        count = count or message.seq
        line = codec.to_line(message).encode()
        size += len(line) + 1
        if size > ROOM:
            next_after = max(0, count - n)
            break
        lines.append(line)
    return _reply(200, _messages_body(lines[::-1], next_after), count if n else None)


def _oldest_that_fit(messages: Iterable[StoredMessage], after: int, limit: int | None) -> tuple[list[bytes], int, bool]:
    """The lines of a page, the seq of the last one, and whether no message follows it."""
    lines: list[bytes] = []
    size, end = 0, after
    for message in messages:
        line = codec.to_line(message).encode()
        size += len(line) + 1
        if len(lines) == limit or size > ROOM:
            return lines, end, False
        lines.append(line)
        end = message.seq
    return lines, end, True


def _messages_body(lines: list[bytes], next_after: int | None, **more: bool) -> bytes:
    rest = dumps({"next": next_after, **more}).encode()
    return b'{"messages":[' + b",".join(lines) + b"]," + rest[1:]


def _reply(status: int, body: bytes, count: int | None) -> Reply:
    headers = {"content-type": "application/json"}
    if count is not None:
        headers["etag"] = f'"{count}"'
    as_text = len(body) <= _TEXT_BODY_BYTES
    return {
        "statusCode": status,
        "headers": headers,
        "body": body.decode() if as_text else b64encode(body).decode(),
        "isBase64Encoded": not as_text,
    }
