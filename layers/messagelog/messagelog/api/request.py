"""A request as API Gateway hands it over (HTTP API, payload 2.0), read strictly."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeGuard, cast

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from messagelog.api.problems import RequestError
from messagelog.api.tenants import MAX_NAME_BYTES, is_name, partition_key, tenant_of
from messagelog.dynamodb import Counters
from messagelog.errors import CodecError
from messagelog.log import MessageLog
from messagelog.messages import ROLES, AgentMessage, Role
from messagelog.settings import tenant_claim
from messagelog.storage import MAX_KEY_LENGTH, Append
from messagelog.strictjson import MAX_LEVELS, is_unicode, loads, require, require_object

_MESSAGE_LEVELS = 3  # a message, its list of tool calls, a call: the args nest inside these
_BATCH_LEVELS = 2 + _MESSAGE_LEVELS


class Request:
    """One request. What is wrong with it is raised as RequestError or, in a message, as CodecError.

    What is no event counts as one without any field. `log_of` opens the log of a conversation; it is called only when
    the log is asked for. `context` is Lambda's, `counters` what is told what the request does.
    """

    def __init__(
        self,
        event: object,
        log_of: Callable[[str], MessageLog],
        context: Any = None,
        counters: Counters | None = None,
    ) -> None:
        self._event = APIGatewayProxyEventV2(dict(event) if _is_event(event) else {})
        self._log_of = log_of
        self.context = context
        self.counters = counters or Counters()

    def check_route(self, route: str) -> None:
        """Refuses events that are not for this route."""
        if self._event.get("routeKey") != route:
            detail = f"this function answers {route}, from an HTTP API (payload 2.0), whose bodies are text"
            raise RequestError(404, "No such route", detail)

    def check_caller(self) -> None:
        """Refuses callers whose token names no tenant, if there are tenants."""
        if claim := tenant_claim():
            tenant_of(self._event, claim)

    @cached_property
    def log(self) -> MessageLog:
        """The log of the conversation."""
        return self._log_of(self.partition_key)

    @cached_property
    def partition_key(self) -> str:
        """What the tables call the conversation: its name, with tenants joined to the caller's."""
        claim = tenant_claim()
        return partition_key(tenant_of(self._event, claim), self.conversation) if claim else self.conversation

    @cached_property
    def conversation(self) -> str:
        """The conversation in the path, which API Gateway has decoded."""
        name = self._event.path_parameters.get("conversation")
        if not isinstance(name, str) or not is_name(name) or name in (".", ".."):
            raise RequestError(
                400,
                "Bad conversation",
                f"a conversation is printable text of 1 to {MAX_NAME_BYTES} UTF-8 bytes, and not '.' or '..'",
                "conversation",
            )
        return name

    @property
    def conversation_hash(self) -> str:
        """Tells requests of one conversation in a log from others, without its name."""
        with suppress(RequestError):
            return conversation_hash(self.partition_key)
        return conversation_hash(str(self._event.path_parameters.get("conversation")))

    @property
    def role(self) -> Role:
        """The role in the path."""
        given = self._event.path_parameters.get("role")
        for role in ROLES:
            if role == given:
                return role
        raise RequestError(404, "Unknown role", f"the role in the path must be one of {', '.join(ROLES)}")

    def check_query(self, known: Collection[str]) -> None:
        """Refuses query parameters the operation does not know: a misspelt one would be ignored silently."""
        for name in self._event.query_string_parameters:
            if name not in known:
                accepted = f"known are {', '.join(known)}" if known else "there are none here"
                raise RequestError(400, "Unknown query parameter", accepted, name)

    def check_preconditions(self, *, refused: Collection[str]) -> None:
        """Refuses these headers, which the operation does not heed: their sender relies on them."""
        for name in refused:
            if self._event.headers.get(name) is not None:
                raise RequestError(400, "Bad header", "is not heeded here: send the request without it", name)

    def number(self, name: str, *, minimum: int = 0, maximum: int = 10**12 - 1) -> int | None:
        """The query parameter as a whole number, None if it is not given."""
        text = self._event.query_string_parameters.get(name)
        if text is None:
            return None
        if not re.fullmatch("[0-9]{1,12}", text) or not minimum <= int(text) <= maximum:
            detail = f"must be a whole number from {minimum} to {maximum}, given once"
            raise RequestError(400, "Bad query parameter", detail, name)
        return int(text)

    def flag(self, name: str) -> bool:
        """The query parameter as true or false, false if it is not given."""
        text = self._event.query_string_parameters.get(name, "false")
        if text not in ("true", "false"):
            raise RequestError(400, "Bad query parameter", "must be true or false", name)
        return text == "true"

    @property
    def if_match(self) -> int | None:
        """The number in the header If-Match, None if it is not given."""
        text = self._event.headers.get("if-match")
        if text is None:
            return None
        if not re.fullmatch('"[0-9]{1,12}"', text):
            detail = 'must be a number in quotation marks, as in the ETag of a reply: "7"'
            raise RequestError(400, "Bad header", detail, "if-match")
        return int(text.strip('"'))

    @property
    def idempotency_key(self) -> str | None:
        """The header Idempotency-Key, None if it is not given."""
        key = self._event.headers.get("idempotency-key")
        if key is not None and not (0 < len(key) <= MAX_KEY_LENGTH and is_unicode(key)):
            detail = f"must be a text of 1 to {MAX_KEY_LENGTH} characters"
            raise RequestError(400, "Bad header", detail, "idempotency-key")
        return key

    @property
    def is_repeatable(self) -> bool:
        """Whether sending the request again cannot store anything twice."""
        headers = self._event.headers
        return bool(headers.get("if-match") or headers.get("idempotency-key"))

    def append(self, *messages: AgentMessage) -> Append:
        """The append of these messages, with the request's preconditions."""
        return Append(messages, self.if_match, self.idempotency_key)

    def message(self) -> Mapping[str, object]:
        """The body as a message, to be checked by the log."""
        return cast(Mapping[str, object], self._json(_MESSAGE_LEVELS))

    def messages(self) -> list[Mapping[str, object]]:
        """The messages in the body `{"messages": […]}`, to be checked by the log."""
        return require(self._field("messages", _BATCH_LEVELS), "messages", list)

    def content(self) -> str:
        """The text in the body, which is `{"content": "…"}` or, as text/plain, the text itself."""
        if self._media_type == "text/plain":
            return self._text()
        return cast(str, self._field("content", _MESSAGE_LEVELS))

    def optional_content(self) -> str | None:
        """The text in the body `{"content": "…"}`, to be checked by the queue; None if there is none, or no body."""
        return cast("str | None", self._option("content"))

    def switch(self, name: str) -> bool:
        """The member of the body's object that is true or false; false if it is not there, or no body."""
        value = self._option(name)
        return False if value is None else require(value, name, bool)

    def tree(self) -> object:
        """The prompt tree in the body `{"tree": …}`, to be checked; `text`, which a read gives with it, is ignored."""
        fields = require_object(self._json(_MESSAGE_LEVELS), "", ("tree", "text"))
        if "tree" not in fields:
            raise CodecError("tree", "is missing")
        return fields["tree"]

    def _option(self, name: str) -> object:
        return require_object(self._json(_MESSAGE_LEVELS), "", (name,)).get(name) if self._event.body else None

    def _field(self, name: str, levels: int) -> object:
        fields = require_object(self._json(levels), "", (name,))
        if name not in fields:
            raise CodecError(name, "is missing")
        return fields[name]

    @property
    def _media_type(self) -> str:
        return (self._event.headers.get("content-type") or "").partition(";")[0].strip().lower() or "application/json"

    def _json(self, levels: int) -> object:
        if self._media_type != "application/json":
            detail = "send JSON, with the header content-type: application/json"
            raise RequestError(415, "Unsupported media type", detail, "content-type")
        try:
            return loads(self._text(), max_levels=MAX_LEVELS + levels)
        except ValueError as error:
            raise RequestError(400, "Bad body", f"the body is not JSON that can be read: {error}", "") from None

    def _text(self) -> str:
        body = self._event.body
        if not body:
            raise RequestError(400, "Bad body", "this operation needs a body", "")
        try:
            data = b64decode(body, validate=True) if self._event.is_base64_encoded else body.encode()
            return data.decode()
        except ValueError:
            raise RequestError(
                400, "Bad body", "the body is not UTF-8, or not the base64 it is said to be", ""
            ) from None


def _is_event(event: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether the fields that are read here are of their types, or null: text, and texts by name."""
    return (
        isinstance(event, Mapping)
        and isinstance(event.get("body"), str | None)
        and all(_are_texts(event.get(field)) for field in ("headers", "pathParameters", "queryStringParameters"))
    )


def _are_texts(field: object) -> bool:
    return field is None or (isinstance(field, Mapping) and all(isinstance(it, str | None) for it in field.values()))


def conversation_hash(name: str) -> str:
    """Tells log lines of one conversation from others, without its name."""
    return sha256(name.encode(errors="replace")).hexdigest()[:16]
