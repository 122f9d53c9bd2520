"""Replies in the form a Lambda function gives to an HTTP API (payload 2.0), never larger than Lambda carries.

Lambda takes a reply of at most 6,291,556 bytes of JSON, in which the body is a string and so escaped once more. A body
is sent as text while it fits whatever its escapes cost, and base64-encoded above that, where its size is plain
arithmetic (API Gateway decodes it again).
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
    """What the function returns."""

    statusCode: int
    headers: dict[str, str]
    body: str
    isBase64Encoded: bool


def ok(value: object, *, count: int | None = None) -> Reply:
    """200 with a JSON body; `count`, the number of messages in the log as this reply shows it, becomes the ETag."""
    return _reply(200, dumps(value).encode(), count)


def created(appended: Appended) -> Reply:
    """201 with the last seq. A repeat has no ETag: others may have appended since the first time."""
    return _reply(201, dumps({"seq": appended.seq}).encode(), None if appended.replayed else appended.seq)


def accepted(value: object) -> Reply:
    """202 with a JSON body: it is kept, and will be done."""
    return _reply(202, dumps(value).encode(), None)


def problem(status: int, document: dict[str, Any], headers: dict[str, str]) -> Reply:
    """An error, as RFC 9457 has it."""
    reply = _reply(status, dumps(document).encode(errors="replace"), None)
    reply["headers"] = {"content-type": "application/problem+json", **headers}
    return reply


def page(messages: Iterable[StoredMessage], *, after: int, limit: int | None) -> Reply:
    """As many of the messages behind `after` as fit, oldest first, at most `limit`; `next` is null at the log's end.

    `messages` may go one beyond the limit, so that the end is known. The reply carries the count if it shows the end:
    who has not seen the end has nothing to match.
    """
    lines, end, at_end = _oldest_that_fit(messages, after, limit)
    if not at_end:
        return _reply(200, _messages_body(lines, next_after=end), None)
    return _reply(200, _messages_body(lines, next_after=None), None if after and not lines else end)


def chat_page(
    messages: Iterable[StoredMessage], *, after: int, limit: int | None, running: bool, failed: bool
) -> Reply:
    """The same of a chat's messages, with `running` and `failed`; without the count, since the log may hold more."""
    lines, end, at_end = _oldest_that_fit(messages, after, limit)
    return _reply(200, _messages_body(lines, next_after=None if at_end else end, running=running, failed=failed), None)


def newest_page(newest_first: Iterable[StoredMessage], *, n: int) -> Reply:
    """As many of the last n messages as fit, oldest first, the newest kept.

    If older ones had to be left out, `next` is the `after` from which reading forward gives them; else it is null.
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
    """The lines of a page, the seq of the last one, and whether there is nothing behind it."""
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
