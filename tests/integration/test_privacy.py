"""Message content is private: no log line and no output ever holds it, whatever fails at any layer."""

from __future__ import annotations

import importlib
import json
import logging
from base64 import b64encode
from collections.abc import Callable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import faulty
from tests.support.faulty import Faulty, LostReply, LostRequest, Outcome, Unreachable
from tests.support.http_api import (
    OPERATIONS,
    READS,
    HttpApi,
    client_of_functions,
    empty,
    functions_on_moto,
    new_process,
    try_once,
)
from tests.support.marked import BAD_BODIES, CONVERSATION, MARK, MARKED_BYTES, MESSAGE

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FAULTS: dict[str, Outcome] = {
    "throttled": faulty.throttled(),
    "access denied": faulty.refused("AccessDeniedException"),
    "validation": faulty.refused("ValidationException", message=f"One or more values are invalid: {MARK}"),
    "server error": faulty.server_error(),
    "conflict": faulty.cancelled("TransactionConflict", "None"),
    "moved": faulty.cancelled("ConditionalCheckFailed", "None", item={"count": {"N": "7"}, "entry": {"S": MARK}}),
    "row in the way": faulty.cancelled("None", "ConditionalCheckFailed"),
    "unreachable": Unreachable(),
    "lost request": LostRequest(),
    "lost reply": LostReply(),
    "not an answer": faulty.Answer(200, {"Items": [{"content": {"S": MARK}}], "Item": {"content": {"S": MARK}}}),
    "a broken item": faulty.Answer(200, {"Items": [{"entry": {"S": MARK}}], "Item": {"count": {"N": MARK}}}),
}


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any, monkeypatch: pytest.MonkeyPatch) -> HttpApi:
    empty(table)
    new_process()
    try_once(monkeypatch)
    return HttpApi(event, conversation=CONVERSATION)


@pytest.fixture(autouse=True)
def output(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[[], str]]:
    """Returns everything that was logged or printed, with the root logger at DEBUG, a level that LogLevel can set.

    Lambda's runtime gives LogLevel to the root logger: `_setup_logging` in awslambdaric's bootstrap.py.
    """
    lines = StringIO()
    monkeypatch.setattr(importlib.import_module("messagelog.api.operation").logger.registered_handler, "stream", lines)
    root, handler = logging.getLogger(), logging.StreamHandler(lines)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s %(args)s"))
    monkeypatch.setattr(root, "level", logging.DEBUG)
    monkeypatch.setattr(root, "handlers", [*root.handlers, handler])
    logging.getLogger().manager._clear_cache()  # type: ignore[attr-defined]

    def read() -> str:
        out, err = capfd.readouterr()
        return lines.getvalue() + out + err

    yield read
    logging.getLogger().manager._clear_cache()  # type: ignore[attr-defined]


def check(output: Callable[[], str], *, lines: int) -> None:
    """Checks that each request has a log line, and that no line holds content."""
    logged = output()
    assert logged.count('"message":"request"') == lines
    for secret in (MARK, MARK.lower(), MARKED_BYTES[:8], "Traceback", "example.com"):
        assert secret not in logged


def bodies(message: str) -> dict[str, str]:
    """A message as the body of each appending operation."""
    return {"append": message, "append_many": f'{{"messages": [{message}]}}', "add": message}


def test_the_marker_would_be_found(output: Callable[[], str]) -> None:
    logging.getLogger("anything").debug("%s", MARK)
    print("printed")
    logged = output()
    assert MARK in logged
    assert "printed" in logged


def test_metrics_hold_only_numbers(api: HttpApi, output: Callable[[], str]) -> None:
    assert api.post("append", MESSAGE).status == 201
    (line,) = [line for line in output().splitlines() if '"_aws"' in line]
    assert MARK not in line
    fields = json.loads(line)
    numbers = {name for name, value in fields.items() if isinstance(value, list) and isinstance(value[0], float)}
    assert set(fields) - numbers - {"service"} == {"_aws", "operation"}
    assert fields["operation"] == "append"


def test_good_requests_reveal_nothing(api: HttpApi, output: Callable[[], str]) -> None:
    assert api.post("append", MESSAGE).status == 201
    assert api.post("append_many", {"messages": [MESSAGE] * 3}).status == 201
    assert api.send("add", body=MARK, headers={"content-type": "text/plain"}).status == 201
    for operation in READS:
        assert api.get(operation).status == 200
    check(output, lines=3 + len(READS))


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_bad_messages_reveal_nothing(api: HttpApi, output: Callable[[], str], body: str) -> None:
    for operation, wrapped in bodies(body).items():
        assert api.post(operation, wrapped).status in (400, 413, 422)
    check(output, lines=3)


@pytest.mark.parametrize(
    "changes",
    [
        {"queryStringParameters": {MARK: MARK}},
        {"queryStringParameters": {"n": MARK, "limit": MARK, "after": MARK, "last": MARK}},
        {"headers": {"content-type": f"text/{MARK}", MARK: MARK}},
        {"headers": {"if-match": MARK, "idempotency-key": MARK * 100}},
        {"body": MARK, "isBase64Encoded": True},
        {"body": b64encode(MARK.encode() + b"\xff").decode(), "isBase64Encoded": True},
        {"routeKey": MARK},
        {"pathParameters": {"conversation": f"{MARK}\n", "role": "user"}},
        {"pathParameters": {"conversation": CONVERSATION, "role": MARK}},
        {"rawPath": f"/{MARK}", "rawQueryString": MARK, "cookies": [MARK]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_bad_requests_reveal_nothing(api: HttpApi, output: Callable[[], str], changes: dict[str, Any]) -> None:
    for operation in OPERATIONS:
        assert api.send(operation, **changes).status < 500
    check(output, lines=len(OPERATIONS))


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_faults_of_dynamodb_reveal_nothing(api: HttpApi, output: Callable[[], str], fault: Outcome) -> None:
    api.post("append", MESSAGE)
    new_process()
    Faulty(client_of_functions(), lambda _: fault)
    for operation, body in bodies(json.dumps(MESSAGE)).items():
        text = {"content-type": "text/plain"} if operation == "add" else None
        api.post(operation, body, headers=text)
    for operation in READS:
        api.get(operation)
    new_process()
    check(output, lines=4 + len(READS))


@pytest.mark.parametrize(
    "place",
    [
        "messagelog.codec.parse",
        "messagelog.dynamodb.items.to_item",
        "messagelog.dynamodb.items.from_item",
        "messagelog.log.MessageLog.store",
        "messagelog.log.MessageLog.iter_all",
        "messagelog.dynamodb.storage.DynamoDBStorage.append",
        "messagelog.dynamodb.storage.DynamoDBStorage.read",
        "messagelog.dynamodb.storage.DynamoDBStorage.count",
        "messagelog.codec.messages.dumps",
        "messagelog.api.request.body.Body.message",
        "messagelog.api.request.Request.log",
        "messagelog.settings.os.environ",
    ],
)
def test_an_unexpected_error_at_any_layer_reveals_nothing(
    api: HttpApi, output: Callable[[], str], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError(f"cannot work with {MARK}") from KeyError(MARK)

    api.post("append", MESSAGE)
    if place.endswith("environ"):
        monkeypatch.setattr(place, {"MESSAGELOG_TABLE": MARK})
    else:
        monkeypatch.setattr(place, fails)
    replies = [api.post("append", MESSAGE), api.post("append_many", {"messages": [MESSAGE]})]
    replies += [api.get(operation) for operation in READS]
    assert any(reply.status >= 500 for reply in replies)
    assert all(MARK not in reply.body.decode() for reply in replies if reply.status >= 400)
    check(output, lines=1 + len(replies))
