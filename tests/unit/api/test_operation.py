"""The frame of every function: errors become replies, the time left limits the tries, and one line is logged."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pytest
from messagelog import settings
from messagelog.api import Reply, Request, ok, operation

from local.runtime import LambdaContext
from tests.support import faulty
from tests.support.faulty import Faulty
from tests.support.http_api import HttpApi, Received, client_of_functions, functions_on_moto, new_process, try_once

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ROUTE = "GET /conversations/{conversation}/messages/count"
SECRET = "a secret in an error"


class UnforeseenError(Exception):
    """An error that no code expects."""


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    new_process()
    return HttpApi(event)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """The log lines as they go to standard output."""
    written = StringIO()
    handler = importlib.import_module("messagelog.api.operation").logger.registered_handler
    monkeypatch.setattr(handler, "stream", written)
    return written


@operation(ROUTE)
def answers(request: Request) -> Reply:
    return ok({"conversation": request.path.conversation})


@operation(ROUTE)
def lacks_a_setting(request: Request) -> Reply:
    return ok(settings.chat_worker())


@operation(ROUTE)
def raises(request: Request) -> Reply:
    secret = {"args": SECRET}
    raise UnforeseenError(SECRET, secret) from ValueError(SECRET)


def last_line(lines: StringIO) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(lines.getvalue().splitlines()[-1])
    return line


def test_an_unforeseen_error_is_a_500_that_reveals_nothing(event: Any) -> None:
    reply = Received.of(raises(event("count"), None))
    assert reply.status == 500
    for word in (SECRET, "Unforeseen", "Traceback", ".py", "raises"):
        assert word not in reply.body.decode()


def test_an_unforeseen_error_is_logged_by_class_and_place(
    event: Any, lines: StringIO, lambda_context: LambdaContext
) -> None:
    raises(event("count"), lambda_context)
    line = last_line(lines)
    assert (line["level"], line["status"], line["error"]) == ("ERROR", 500, "UnforeseenError")
    assert line["request_id"] == lambda_context.aws_request_id
    path, _, number = line["raised_at"][-1].rpartition(":")
    assert path == __file__
    assert int(number) == raises.__wrapped__.__code__.co_firstlineno + 3  # type: ignore[attr-defined]
    assert SECRET not in lines.getvalue()


@pytest.mark.parametrize(
    ("fault", "status", "error", "code"),
    [
        (faulty.refused("AccessDeniedException"), 503, "StorageUnavailableError", "AccessDeniedException"),
        (faulty.Unreachable(), 503, "StorageUnavailableError", "EndpointConnectionError"),
        (faulty.LostRequest(), 503, "UnknownOutcomeError", "ConnectionClosedError"),
        (faulty.throttled(), 429, "ThrottledError", "ThrottlingException"),
    ],
    ids=["refused", "unreachable", "unknown", "throttled"],
)
def test_a_fault_of_the_storage_is_logged_with_its_code(
    api: HttpApi,
    lines: StringIO,
    fault: faulty.Outcome,
    status: int,
    error: str,
    code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try_once(monkeypatch)
    Faulty(client_of_functions()).script("TransactWriteItems", repeat(fault))
    assert api.post("append", {"role": "user", "content": SECRET}).status == status
    line = last_line(lines)
    assert (line["status"], line["error"], line["code"]) == (status, error, code)
    assert line["level"] == ("ERROR" if status >= 500 else "INFO")
    assert SECRET not in lines.getvalue()


def test_only_the_log_names_a_missing_setting(event: Any, lines: StringIO) -> None:
    reply = Received.of(lacks_a_setting(event("count"), None))
    line = last_line(lines)
    assert (line["level"], line["error"], line["code"]) == ("ERROR", "StorageUnavailableError", "CHAT_WORKER_FUNCTION")
    assert reply.status == 503
    assert "CHAT_WORKER" not in reply.body.decode()


@pytest.mark.parametrize("changes", [{}, {"routeKey": "GET /"}, {"queryStringParameters": {"q": "1"}}], ids=str)
def test_each_request_is_one_line(event: Any, lines: StringIO, lambda_context: LambdaContext, changes: Any) -> None:
    reply = answers(event("count", **changes), lambda_context)
    line = last_line(lines)
    assert len(lines.getvalue().splitlines()) == 1
    assert (line["level"], line["status"]) == ("INFO", reply["statusCode"])
    assert line.get("error") == (None if reply["statusCode"] == 200 else "RequestError")
    assert line["request_id"] == lambda_context.aws_request_id


def test_the_log_tells_conversations_apart_without_names(event: Any, lines: StringIO) -> None:
    for conversation in ("ann@example.com", "ann@example.com", "bob@example.com"):
        answers(event("count", pathParameters={"conversation": conversation}), None)
    first, second, third = (json.loads(line)["conversation"] for line in lines.getvalue().splitlines())
    assert first == second != third
    assert "example.com" not in lines.getvalue()


def test_the_handler_tells_what_it_does(event: Any) -> None:
    assert answers.__name__ == "answers"
    assert Received.of(answers(event("count"), None)).json == {"conversation": "support-4711"}


@pytest.mark.parametrize("seconds_left", [0, 4])
def test_nothing_is_asked_that_may_not_be_answered_in_time(api: HttpApi, seconds_left: int) -> None:
    """A request may take CONNECT_TIMEOUT + READ_TIMEOUT seconds, and the function must still answer."""
    api.context = LambdaContext("TestFunction", memory_limit_in_mb=512, timeout=seconds_left)
    asked = Faulty(client_of_functions())
    assert api.get("count").status == 503
    assert asked.requests == []


@pytest.mark.parametrize("context", [None, LambdaContext("TestFunction", memory_limit_in_mb=512, timeout=900)])
def test_with_time_enough_it_is_tried_again(api: HttpApi, context: Any) -> None:
    api.context = context
    Faulty(client_of_functions()).script("GetItem", [faulty.throttled(), faulty.throttled()])
    assert api.get("count").status == 200


def test_the_client_is_made_once_for_a_process(api: HttpApi) -> None:
    api.get("count")
    client = client_of_functions()
    api.get("count")
    assert client_of_functions() is client


def test_other_settings_get_another_client(api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    client = client_of_functions()
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    assert client_of_functions() is not client
    assert client_of_functions().meta.region_name == "eu-central-1"


def test_a_warm_append_is_one_request_and_no_read(api: HttpApi) -> None:
    sent = Faulty(client_of_functions())
    for _ in range(2):
        sent.forget()
        body: Mapping[str, str] = {"role": "user", "content": "Hi"}
        assert api.post("append", body).status == 201
    assert sent.operations == ["TransactWriteItems"]
