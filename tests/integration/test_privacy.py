"""Message content is private: it is never in a log line or an output, whatever goes wrong at any layer.

Content is everything in a message: its text, names, ids, the keys and values in a call's args, the names, URLs and
bytes of files, and the blocks of an original. The name of a conversation may be the name of a person, so it is private
too.
"""

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

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MARK = "mArKeR7"  # an identifier, so that it can be in any path
CONVERSATION = f"{MARK}@example.com"
CALL = {"id": f"id-{MARK}", "name": f"tool-{MARK}", "args": {MARK: {f"a {MARK}": [MARK, 1]}}}
MARKED_BYTES = b64encode(MARK.encode() * 3).decode()
FILES = [
    {"mediaType": "image/png", "data": MARKED_BYTES, "name": f"{MARK}.png", "offset": 1},
    {"mediaType": "text/plain", "url": f"https://{MARK}.example.com/{MARK}?token={MARK}"},
]
THINKING = {"type": "thinking", "thinking": f"{MARK} thinks", "signature": f"{MARK}/{MARKED_BYTES}", MARK: [MARK]}
MESSAGE = {
    "role": "assistant",
    "content": f"{MARK} said hello",
    "name": MARK,
    "toolCalls": [CALL],
    "toolCallId": f"id-{MARK}",
    "files": FILES,
    "original": {"api": "anthropic", "model": f"model-{MARK}", "blocks": [THINKING]},
}
BAD_ARGS = [
    f'{{"{MARK}": 1e999}}',
    f'{{"{MARK}": 1, "{MARK}": 2}}',
    f'{{"a": {{"{MARK} b": "\\ud800"}}}}',
    f'{{"{MARK}": {"9" * 5_000}}}',
    f'{{"{MARK}": {"[" * 300}"{MARK}"{"]" * 300}}}',
    f'{{"{MARK}": NaN}}',
    f'{{"{MARK}": {MARK}}}',
]
BAD_FILES = [
    MARK,
    {MARK: MARK},
    {"mediaType": MARK, "data": "AAAA"},
    {"mediaType": "image/png", "data": f"{MARK}!"},
    {"mediaType": "image/png", "data": MARKED_BYTES + "="},
    {"mediaType": "image/png", "data": MARKED_BYTES, "url": f"https://{MARK}"},
    {"mediaType": "image/png", "data": MARKED_BYTES, "name": [MARK]},
    {"mediaType": "image/png", "data": MARKED_BYTES, "name": MARK, "offset": MARK},
    {"mediaType": "image/png", "url": f"ftp://{MARK}"},
]
BAD_ORIGINALS = [
    MARK,
    {"api": MARK, "blocks": []},
    {"api": "anthropic", "blocks": {MARK: MARK}},
    {"api": "anthropic", "blocks": [], "model": [MARK]},
    {"api": "anthropic", "blocks": [], MARK: MARK},
]
BAD_BODIES = [
    MARK,
    f'"{MARK}"',
    f'["{MARK}"]',
    f'{{"{MARK}": 1}}',
    f'{{"role": "{MARK}", "content": "{MARK}"}}',
    f'{{"role": "user", "content": ["{MARK}"]}}',
    f'{{"role": "user", "content": "{MARK}\\ud800"}}',
    f'{{"role": "user", "content": "{MARK}", "content": "{MARK}"}}',
    f'{{"role": "user", "content": "{MARK}',
    f'{{"role": "user", "content": "{MARK}\\x"}}',
    f'{{"role": "user", "content": "{MARK}"}} {MARK}',
    json.dumps({"role": "user", "content": MARK * 700_000}),
    *(f'{{"role":"assistant","content":"","toolCalls":[{{"id":"1","name":"f","args":{args}}}]}}' for args in BAD_ARGS),
    *(f'{{"role":"assistant","content":"","original":{{"api":"x","blocks":[{args}]}}}}' for args in BAD_ARGS),
    *(json.dumps({"role": "user", "content": MARK, "files": [file]}) for file in BAD_FILES),
    *(json.dumps({"role": "assistant", "content": MARK, "original": original}) for original in BAD_ORIGINALS),
]
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
    """Everything that is logged or printed, with the root logger at DEBUG, as the template's LogLevel can set it.

    Lambda's runtime gives its level to the root logger: `_setup_logging` in awslambdaric's bootstrap.py.
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
    """Checks that there is a line for each request, without any of its content."""
    logged = output()
    assert logged.count('"message":"request"') == lines
    for secret in (MARK, MARK.lower(), MARKED_BYTES[:8], "Traceback", "example.com"):
        assert secret not in logged


def bodies(message: str) -> dict[str, str]:
    """A message as the body of each operation that appends."""
    return {"append": message, "append_many": f'{{"messages": [{message}]}}', "add": message}


def test_the_marker_would_be_seen(output: Callable[[], str]) -> None:
    logging.getLogger("anything").debug("%s", MARK)
    print("printed")
    logged = output()
    assert MARK in logged
    assert "printed" in logged


def test_metrics_are_numbers(api: HttpApi, output: Callable[[], str]) -> None:
    assert api.post("append", MESSAGE).status == 201
    (line,) = [line for line in output().splitlines() if '"_aws"' in line]
    assert MARK not in line
    told = json.loads(line)
    numbers = {name for name, value in told.items() if isinstance(value, list) and isinstance(value[0], float)}
    assert set(told) - numbers - {"service"} == {"_aws", "operation"}
    assert told["operation"] == "append"


def test_good_requests_tell_nothing(api: HttpApi, output: Callable[[], str]) -> None:
    assert api.post("append", MESSAGE).status == 201
    assert api.post("append_many", {"messages": [MESSAGE] * 3}).status == 201
    assert api.send("add", body=MARK, headers={"content-type": "text/plain"}).status == 201
    for operation in READS:
        assert api.get(operation).status == 200
    check(output, lines=3 + len(READS))


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_bad_messages_tell_nothing(api: HttpApi, output: Callable[[], str], body: str) -> None:
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
def test_bad_requests_tell_nothing(api: HttpApi, output: Callable[[], str], changes: dict[str, Any]) -> None:
    for operation in OPERATIONS:
        assert api.send(operation, **changes).status < 500
    check(output, lines=len(OPERATIONS))


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_faults_of_dynamodb_tell_nothing(api: HttpApi, output: Callable[[], str], fault: Outcome) -> None:
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
        "messagelog.api.request.Request.message",
        "messagelog.api.request.Request.log",
        "messagelog.settings.os.environ",
    ],
)
def test_an_unexpected_error_at_any_layer_tells_nothing(
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
