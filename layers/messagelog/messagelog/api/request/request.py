"""A request: its parts, and the conversation that it is about."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import Any

from messagelog.api.problems import RequestError
from messagelog.api.request.body import Body
from messagelog.api.request.event import read_event
from messagelog.api.request.headers import Headers
from messagelog.api.request.path import Path
from messagelog.api.request.query import Query
from messagelog.api.tenants import partition_key, tenant_in, tenant_of
from messagelog.dynamodb import Counters
from messagelog.log import MessageLog
from messagelog.messages import AgentMessage
from messagelog.settings import tenant_claim
from messagelog.storage import Append


class Request:
    """One request.

    A fault of the request is raised as RequestError, and a fault of a message in it as CodecError.

    Args:
        event: The event of API Gateway. Anything else is treated as an empty event.
        log_of: Opens the log of a conversation. It is called when the log is asked for.
        context: Lambda's context of the invocation.
        counters: Count what the request does.
    """

    def __init__(
        self,
        event: object,
        log_of: Callable[[str], MessageLog],
        context: Any = None,
        counters: Counters | None = None,
    ) -> None:
        self._event = read_event(event)
        self._log_of = log_of
        self.context = context
        self.counters = counters or Counters()
        self.path = Path(self._event.path_parameters)
        self.query = Query(self._event.query_string_parameters)
        self.headers = Headers(self._event.headers)
        self.body = Body(self._event.body, bool(self._event.is_base64_encoded), self.headers.media_type)

    def check_route(self, route: str) -> None:
        """Refuses events of another route."""
        if self._event.get("routeKey") != route:
            detail = f"this function answers {route}, from an HTTP API (payload 2.0), whose bodies are text"
            raise RequestError(404, "No such route", detail)

    @cached_property
    def tenant(self) -> str | None:
        """The tenant of the caller, None if the stack has no tenants.

        Raises:
            RequestError: 403, because the caller's token names no tenant, or authorizer and settings disagree.
        """
        return tenant_of(self._event, tenant_claim())

    @cached_property
    def log(self) -> MessageLog:
        """The log of the conversation."""
        return self._log_of(self.partition_key)

    @cached_property
    def partition_key(self) -> str:
        """The name of the conversation in the tables. With tenants, the tenant is joined to it."""
        name = self.path.conversation
        return name if self.tenant is None else partition_key(self.tenant, name)

    @property
    def conversation_hash(self) -> str:
        """Tells the log lines of one conversation from others, without its name."""
        with suppress(RequestError):
            return conversation_hash(self.partition_key)
        return conversation_hash(self.path.given_conversation)

    @property
    def hashes(self) -> dict[str, str]:
        """The hashes of the conversation and of the caller's tenant, if it has one, for a log line."""
        found = {"conversation": self.conversation_hash}
        with suppress(RequestError):
            if self.tenant is not None:
                found["tenant"] = conversation_hash(self.tenant)
        return found

    def append(self, *messages: AgentMessage) -> Append:
        """Returns the append of these messages with the request's preconditions."""
        return Append(messages, self.headers.if_match, self.headers.idempotency_key)


def hashes_of(key: str) -> dict[str, str]:
    """Returns the hashes of a partition key and of the tenant in it, if there is one, for a log line."""
    tenant = tenant_in(key)
    return {"conversation": conversation_hash(key)} | ({} if tenant is None else {"tenant": conversation_hash(tenant)})


def conversation_hash(name: str) -> str:
    """Returns a hash that identifies the log lines of one conversation or tenant without its name."""
    return sha256(name.encode(errors="replace")).hexdigest()[:16]
