"""The headers of a request. Their names are in lower case."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from messagelog.api.problems import RequestError
from messagelog.storage import MAX_KEY_LENGTH
from messagelog.strictjson import is_unicode


class Headers:
    """The headers of a request that an operation reads."""

    def __init__(self, headers: Mapping[str, str | None]) -> None:
        self._headers = headers

    def check_unsupported(self, names: Collection[str]) -> None:
        """Refuses preconditions that the operation does not support, because their sender relies on them.

        Raises:
            RequestError: 400, with the name of the header as the path.
        """
        for name in names:
            if self._headers.get(name) is not None:
                detail = "is not supported by this operation: send the request without it"
                raise RequestError(400, "Bad header", detail, name)

    @property
    def if_match(self) -> int | None:
        """The number in If-Match, None if it is absent.

        Raises:
            RequestError: 400, because it is not a number in quotation marks.
        """
        text = self._headers.get("if-match")
        if text is None:
            return None
        if not re.fullmatch('"[0-9]{1,12}"', text):
            detail = 'must be a number in quotation marks, as in the ETag of a reply: "7"'
            raise RequestError(400, "Bad header", detail, "if-match")
        return int(text.strip('"'))

    @property
    def idempotency_key(self) -> str | None:
        """The text in Idempotency-Key, None if it is absent.

        Raises:
            RequestError: 400, because it is empty or too long.
        """
        key = self._headers.get("idempotency-key")
        if key is not None and not (0 < len(key) <= MAX_KEY_LENGTH and is_unicode(key)):
            detail = f"must be a text of 1 to {MAX_KEY_LENGTH} characters"
            raise RequestError(400, "Bad header", detail, "idempotency-key")
        return key

    @property
    def is_repeatable(self) -> bool:
        """Whether the request has a precondition, so that a repeat cannot store anything twice."""
        return bool(self._headers.get("if-match") or self._headers.get("idempotency-key"))

    @property
    def media_type(self) -> str:
        """The media type of the body in lower case. A body without one is JSON."""
        given = (self._headers.get("content-type") or "").partition(";")[0]
        return given.strip().lower() or "application/json"
