"""The body of a request: JSON, or for one operation plain text."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import cast

from messagelog.api.problems import RequestError
from messagelog.errors import CodecError
from messagelog.strictjson import MAX_LEVELS, Owned, TooManyContainersError, loads, require, require_object

_MESSAGE_LEVELS = 3  # a message, its list of tool calls, and a call: the args nest inside these
_BATCH_LEVELS = 2 + _MESSAGE_LEVELS


class Body:
    """The body of a request. Each method reads it in one form.

    Args:
        text: The body as the event holds it.
        is_base64: Whether the text is base64.
        media_type: The media type in lower case.

    Raises:
        RequestError: 400, 413 or 415, because the body cannot be read.
        CodecError: It is JSON of another form.
    """

    def __init__(self, text: str | None, is_base64: bool, media_type: str) -> None:
        self._given = text
        self._is_base64 = is_base64
        self._media_type = media_type

    def message(self) -> Mapping[str, object]:
        """Returns the body as a message. The log checks it."""
        return _owned(self._json(_MESSAGE_LEVELS))

    def messages(self) -> Iterator[Mapping[str, object]]:
        """Returns the messages of the body `{"messages": […]}`. The log checks them."""
        return map(_owned, require(self._field("messages", _BATCH_LEVELS), "messages", list))

    def content(self) -> str:
        """Returns the text of the body, which is `{"content": "…"}` or, as text/plain, the text itself."""
        if self._media_type == "text/plain":
            return self._text()
        return cast(str, self._field("content", _MESSAGE_LEVELS))

    def optional_content(self) -> str | None:
        """Returns the text of the body `{"content": "…"}`, None without a body or content. The queue checks it."""
        return cast("str | None", self._option("content"))

    def switch(self, name: str) -> bool:
        """Returns a member of the body that is true or false, false without a body or that member."""
        value = self._option(name)
        return False if value is None else require(value, name, bool)

    def tree(self) -> object:
        """Returns the prompt tree of the body `{"tree": …}`. `text`, which a read returns as well, is ignored."""
        fields = require_object(self._json(_MESSAGE_LEVELS), "", ("tree", "text"))
        if "tree" not in fields:
            raise CodecError("tree", "is missing")
        return fields["tree"]

    def _option(self, name: str) -> object:
        return require_object(self._json(_MESSAGE_LEVELS), "", (name,)).get(name) if self._given else None

    def _field(self, name: str, levels: int) -> object:
        fields = require_object(self._json(levels), "", (name,))
        if name not in fields:
            raise CodecError(name, "is missing")
        return fields[name]

    def _json(self, levels: int) -> object:
        if self._media_type != "application/json":
            detail = "send JSON, with the header content-type: application/json"
            raise RequestError(415, "Unsupported media type", detail, "content-type")
        try:
            return loads(self._text(), max_levels=MAX_LEVELS + levels)
        except TooManyContainersError as error:
            detail = f"the body has {error}; nothing was written: send it in parts"
            raise RequestError(413, "The body is too large", detail, "") from None
        except ValueError as error:
            raise RequestError(400, "Bad body", f"the body is not JSON that can be read: {error}", "") from None

    def _text(self) -> str:
        if not self._given:
            raise RequestError(400, "Bad body", "this operation needs a body", "")
        try:
            if self._is_base64:
                return b64decode(self._given, validate=True).decode()
            self._given.encode()
        except ValueError:
            detail = "the body is not UTF-8, or it is not base64 although the event says so"
            raise RequestError(400, "Bad body", detail, "") from None
        return self._given


def _owned(value: object) -> Mapping[str, object]:
    """Marks an object as one that nothing else refers to. The check of messages handles all other values."""
    return Owned(value) if type(value) is dict else cast(Mapping[str, object], value)
