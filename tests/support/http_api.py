"""The part of API Gateway and Lambda around a function: the event, the call of the real handler, the reply.

    with functions_on_moto():
        api = HttpApi(event)  # the fixture that loads sample events
        api.post("append", {"role": "user", "content": "Hi"}).json == {"seq": 1}
        api.get("all", after=1).json["messages"]

Each reply is checked for the rules that all replies follow: see `Received`.
"""

from __future__ import annotations

import importlib
import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from inspect import getclosurevars
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest
from messagelog.api import VIEW_QUERY, chat, sending, tables, worker
from messagelog.dynamodb import Retry
from messagelog.settings import settings
from moto import mock_aws

from local.dynamodb import CREDENTIALS
from local.runtime import LambdaContext
from local.template import read_template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MESSAGES = "/conversations/{conversation}/messages"

MAX_REPLY_BYTES = 6_291_556  # from the text of Lambda's error ResponseSizeTooLarge
PROBLEM_TYPE = "application/problem+json"  # RFC 9457


def handler_of(operation: str) -> Callable[[Any, Any], Mapping[str, Any]]:
    """Return the handler that Lambda would call."""
    handler: Callable[[Any, Any], Mapping[str, Any]] = importlib.import_module(operation).handler
    return handler


def query_of(operation: str) -> tuple[str, ...]:
    """Return the query parameters that an operation knows."""
    return tuple(getclosurevars(handler_of(operation)).nonlocals["query"])


# The operations by their routes, and by the query parameters that their handlers know. A route without a handler fails
# a test of the template.
_ROUTES = {route.function.module: route for route in read_template().routes if find_spec(route.function.module)}
OPERATIONS = tuple(name for name, route in _ROUTES.items() if route.path.startswith(MESSAGES))
CHAT_OPERATIONS = tuple(name for name in _ROUTES if name not in OPERATIONS)
READS = tuple(name for name in OPERATIONS if _ROUTES[name].method == "GET")
APPENDS = tuple(name for name in OPERATIONS if name not in READS)
PAGED = tuple(name for name in READS if "after" in query_of(name))
VIEWS = tuple(name for name in PAGED if set(VIEW_QUERY) <= set(query_of(name)))


@dataclass(frozen=True)
class Received:
    """A reply as the client of the API gets it."""

    status: int
    headers: dict[str, str]
    body: bytes

    @classmethod
    def of(cls, reply: Any) -> Received:
        """Passes a handler's reply on, after Lambda's own checks and those on its form."""
        # Some of the runtimes escape what is not ASCII (awslambdaric, lambda_runtime_marshaller.py).
        assert len(json.dumps(reply).encode()) <= MAX_REPLY_BYTES
        assert len(json.dumps(reply, ensure_ascii=False).encode()) <= MAX_REPLY_BYTES
        assert set(reply) == {"statusCode", "headers", "body", "isBase64Encoded"}
        body = b64decode(reply["body"], validate=True) if reply["isBase64Encoded"] else reply["body"].encode()
        received = cls(reply["statusCode"], reply["headers"], body)
        received._check_form()
        return received

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def etag(self) -> str | None:
        return self.headers.get("etag")

    @property
    def paths(self) -> list[str]:
        """Where a problem document says that the faults are."""
        return [fault["path"] for fault in self.json["errors"]]

    def _check_form(self) -> None:
        assert all(name == name.lower() for name in self.headers)
        if self.status < 400:
            assert self.headers["content-type"] == "application/json"
            return
        assert self.headers["content-type"] == PROBLEM_TYPE
        document = self.json
        assert document["status"] == self.status
        assert all(isinstance(document[name], str) and document[name] for name in ("type", "title", "detail"))
        assert "etag" not in self.headers


@dataclass
class HttpApi:
    """Calls the functions in this process, on a conversation of its own.

    `context` is what Lambda hands to them beside the event; it leaves them the time that any machine needs.
    """

    event: Callable[..., dict[str, Any]]
    conversation: str = field(default_factory=lambda: uuid4().hex)
    context: Any = field(default_factory=lambda: LambdaContext("TestFunction", memory_limit_in_mb=512, timeout=900))

    def post(self, operation: str, body: object, **changes: Any) -> Received:
        """Sends `body`: text as it is, anything else as JSON."""
        text = body if isinstance(body, str) else json.dumps(body)
        return self.send(operation, body=text, **changes)

    def get(self, operation: str, **query: object) -> Received:
        """Sends a request with a query."""
        return self.send(operation, queryStringParameters={name: str(value) for name, value in query.items()} or None)

    def send(self, operation: str, *, role: str = "user", **changes: Any) -> Received:
        """Sends the sample event of an operation, with fields changed."""
        path = {"conversation": self.conversation, **({"role": role} if operation == "add" else {})}
        event = self.event(operation, **{"pathParameters": path, **changes})
        return Received.of(handler_of(operation)(event, self.context))

    def chat(self, **query: object) -> list[str]:
        """The text of every message of the chat."""
        return [message["content"] for message in self.get("chat_messages", **query).json["messages"]]

    def contents(self) -> list[str]:
        """The text of every message, page by page."""
        return [message["content"] for message in self.messages()]

    def messages(self, **query: object) -> list[dict[str, Any]]:
        """Every message, page by page."""
        found: list[dict[str, Any]] = []
        after: int | None = 0
        while after is not None:
            page = self.get("all", after=after, **query).json
            assert page["next"] is None or page["next"] > after, "a page that leads nowhere"
            found += page["messages"]
            after = page["next"]
        return found


@contextmanager
def functions_on_moto() -> Iterator[DynamoDBClient]:
    """Empty tables on moto, and the environment that the functions find beside it.

    Worth sharing among the tests of a module, with `empty` before each: making clients takes longer than most tests,
    and moto copies the whole table for each transaction.
    """
    tables = _table_definitions()
    names = {"MESSAGELOG_TABLE": "MessageTable", "MESSAGELOG_CHAT_TABLE": "ChatTable"}
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"):
            patch.delenv(name, raising=False)
        for name, value in {**CREDENTIALS, **names}.items():
            patch.setenv(name, value)
        client = boto3.client("dynamodb")
        for table in tables:
            client.create_table(**table)
        new_process()
        yield client
        new_process()  # a test may have broken the client


def empty(client: DynamoDBClient) -> None:
    """Deletes the tables and makes them again."""
    for table in _table_definitions():
        client.delete_table(TableName=table["TableName"])
        client.create_table(**table)


@cache
def _table_definitions() -> list[dict[str, Any]]:
    return list(read_template().tables.values())


def new_process() -> None:
    """Makes the functions forget their clients and what they know of the counts, as a cold start does."""
    for made_once in (tables.client_of, sending._lambda_client, worker._provider_of):
        made_once.cache_clear()


def try_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the functions send each request once, so that no test waits for a fault that lasts to go away."""
    for module in (tables, chat):
        monkeypatch.setattr(module, "retry_within", lambda _: Retry(budget=0))


def client_of_functions() -> DynamoDBClient:
    """The client that the functions send their requests with, to break it."""
    return tables.client_of(settings())
