"""Break a boto3 DynamoDB client on order, and see every request that it sends.

    faulty = Faulty(client)
    faulty.script("TransactWriteItems", [LostReply(), Ok()])

Faults are made where botocore sends and reads (its events `before-send` and `before-parse`), with replies as DynamoDB
writes them, so all of the client above runs as it does in production. A client that retries by itself hides faults: use
one that does not, such as `messagelog.dynamodb.default_client()`.

The shapes of the replies are from "Error handling with DynamoDB" and "TransactWriteItems" in the DynamoDB developer
guide and API reference.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import urllib3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True)
class Request:
    """A request as it was sent: the operation's name and the body, byte for byte."""

    operation: str
    body: bytes

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the client's method, read back from the body."""
        parameters: dict[str, Any] = json.loads(self.body)
        return parameters


class Outcome:
    """The fate of a request. Each of the two steps may raise what a client raises there."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        """The reply to give in place of DynamoDB's; with None the request is sent to it."""
        return None

    def receive(self) -> None:
        """Called once a reply is there, before the client reads it."""


class Ok(Outcome):
    """The request is done and answered."""


class Unreachable(Outcome):
    """No connection: not done, and the client knows that nothing was sent."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        raise EndpointConnectionError(endpoint_url=request.url)


class LostRequest(Outcome):
    """The connection breaks on the way there: not done, though the client cannot know."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        raise ConnectionClosedError(endpoint_url=request.url)


class LostReply(Outcome):
    """Done, but the answer never comes back: to the client the same as `LostRequest`."""

    def receive(self) -> None:
        raise ReadTimeoutError(endpoint_url="http://dynamodb")


@dataclass(frozen=True)
class Meanwhile(Outcome):
    """Something happens just before the request is sent: another writer is faster, or time passes."""

    action: Callable[[], object]

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        self.action()
        return None


@dataclass(frozen=True)
class Answer(Outcome):
    """An answer that is made up here; the request does not reach DynamoDB."""

    status: int
    body: Mapping[str, Any]

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        request.url = "http://nowhere.invalid"  # moto listens for the same event, and would do the request all the same
        headers = HTTPHeaders()
        headers["Content-Type"] = "application/x-amz-json-1.0"
        raw = urllib3.HTTPResponse(BytesIO(json.dumps(self.body).encode()), preload_content=False)
        return AWSResponse(request.url, self.status, headers, raw)


def refused(code: str, *, status: int = 400, **members: Any) -> Answer:
    """The error with this name, for example AccessDeniedException."""
    return Answer(
        status, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "made up for a test", **members}
    )


def throttled(code: str = "ThrottlingException") -> Answer:
    """Not done: too much is asked of the table or the account."""
    return refused(code)


def server_error(status: int = 500) -> Answer:
    """A failure inside DynamoDB, which leaves open whether the request was done."""
    return refused("InternalServerError" if status == 500 else "ServiceUnavailable", status=status)


def in_progress() -> Answer:
    """The same transaction, sent before with the same token, is still going on."""
    return refused("TransactionInProgressException")


def cancelled(*codes: str, item: Mapping[str, Any] | None = None) -> Answer:
    """A cancelled transaction, with a reason for each of its actions; `item` is what the first one found."""
    reasons: list[dict[str, Any]] = [{"Code": code} for code in codes]
    if item is not None:
        reasons[0]["Item"] = item
    return refused("TransactionCanceledException", CancellationReasons=reasons)


class Faulty:
    """Decides what becomes of each request of a client, and records it. Safe to use from many threads.

    `choose` decides for every request that no script decides for; without it they are all `Ok`.
    """

    def __init__(self, client: DynamoDBClient, choose: Callable[[Request], Outcome] = lambda _: Ok()) -> None:
        self.client = client
        self.requests: list[Request] = []
        self.choose = choose
        self._scripts: dict[str, Iterator[Outcome]] = {}
        self._lock = threading.Lock()
        self._current = threading.local()  # a thread waits for the reply to its request before it sends another
        client.meta.events.register_first("before-send.dynamodb.*", self._send)  # type: ignore[arg-type]
        client.meta.events.register_first("before-parse.dynamodb.*", self._receive)

    def script(self, operation: str, outcomes: Iterable[Outcome]) -> None:
        """Sets the fate of the next requests of this operation, in order; `itertools.repeat` makes a fault last."""
        self._scripts[operation] = iter(outcomes)

    def sent(self, operation: str | None = None) -> list[Request]:
        """The requests so far, of all operations or of one."""
        return [request for request in self.requests if operation in (None, request.operation)]

    @property
    def operations(self) -> list[str]:
        """The names of the operations asked for so far, one for each request."""
        return [request.operation for request in self.requests]

    def forget(self) -> None:
        """Empties the record."""
        self.requests.clear()

    def _send(self, request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse | None:
        assert isinstance(request.body, bytes)
        seen = Request(event_name.rpartition(".")[2], request.body)
        with self._lock:
            self.requests.append(seen)
            outcome = next(self._scripts.get(seen.operation, iter(())), None)
        self._current.outcome = outcome or self.choose(seen)
        response: AWSResponse | None = self._current.outcome.send(request)
        return response

    def _receive(self, **_: Any) -> None:
        self._current.outcome.receive()
