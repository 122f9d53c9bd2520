"""Each function's policy allows exactly the requests that the function sends to DynamoDB and Lambda.

An operation is run on an empty conversation and on a full one. A request that needs a rarer state is listed below.
"""

from __future__ import annotations

import json
import os
import random
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from botocore.client import BaseClient
from messagelog.chat.dynamodb import DynamoDBChatState

from local.lambda_api import LambdaApi
from local.runtime import invoke
from local.template import Function, read_template
from tests.support.chat_server import Echo, chat_server
from tests.support.http_api import functions_on_moto, new_process
from tests.support.sam_template import grants_of

TEMPLATE = read_template()
LARGE = "".join(random.Random(1).choices("abcdefghijklmnop", k=1_000_000))  # over 400 KB compressed
LARGE_TREE = {"children": [{"id": "general", "children": [{"id": "persona", "content": LARGE}]}]}
BODIES = {
    "enqueue": {"role": "user", "content": LARGE},
    "put_system": {"tree": LARGE_TREE},
    "clear": {"messagesOnly": False},
    "send": {"content": "Hello!"},
}
Asked = set[tuple[str, str]]
RARELY_ASKED: dict[str, Asked] = {
    # A large tree that is written between the clear and the read after it.
    "clear": {("ChatTable", "dynamodb:Query")},
    # A large tree that is replaced by another one.
    "put_system": {("ChatTable", "dynamodb:DeleteItem")},
    # The answer that the caller waits for, and an enqueue after a lost reply.
    "send": {("MessageTable", "dynamodb:Query"), ("ChatTable", "dynamodb:ConditionCheckItem")},
    # An enqueue after a lost reply.
    "enqueue": {("ChatTable", "dynamodb:GetItem"), ("ChatTable", "dynamodb:ConditionCheckItem")},
    # Tutorials of tools, and messages that hooks queue. Lambda sends what failed to the queue.
    "send_worker": {("ChatTable", "dynamodb:PutItem"), ("FailedSendQueue", "sqs:SendMessage")},
}


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    variables = {"CHAT_PROVIDER": "openai", "CHAT_MODEL": "m", "CHAT_WORKER_FUNCTION": "SendWorkerFunction"}
    with functions_on_moto(), chat_server() as server, pytest.MonkeyPatch.context() as patch:
        server.otherwise = Echo()
        for name, value in {**variables, "CHAT_BASE_URL": server.url}.items():
            patch.setenv(name, value)
        idle = ModuleType("idle")
        idle.__dict__["handler"] = lambda event, context: None
        patch.setitem(sys.modules, "idle", idle)
        worker = Function("SendWorkerFunction", "idle", "handler", Path(), {}, timeout=3, memory=128)
        patch.setenv("AWS_ENDPOINT_URL_LAMBDA", LambdaApi([worker]).endpoint)
        yield


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The tables and actions of all requests that any client sends from now on."""
    pairs: Asked = set()
    send = BaseClient._make_api_call  # type: ignore[attr-defined]

    def record(client: BaseClient, operation: str, arguments: dict[str, Any]) -> object:
        pairs.update(actions_of(operation, arguments))
        return send(client, operation, arguments)

    monkeypatch.setattr(BaseClient, "_make_api_call", record)
    return pairs


def actions_of(operation: str, arguments: dict[str, Any]) -> set[tuple[str, str]]:
    """Returns what IAM checks: for a transaction, its actions.

    Source: "Using IAM with transactions" in the DynamoDB developer guide.
    """
    if operation == "Invoke":
        return {(arguments["FunctionName"], "lambda:InvokeFunction")}
    if operation != "TransactWriteItems":
        return {(arguments["TableName"], f"dynamodb:{operation}")}
    names = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
    return {
        (it["TableName"], f"dynamodb:{names[kind]}") for item in arguments["TransactItems"] for kind, it in item.items()
    }


def begin_turn(conversation: str, holder: str) -> None:
    """As a send does before it invokes the worker."""
    DynamoDBChatState(conversation, table=os.environ["MESSAGELOG_CHAT_TABLE"]).acquire(holder, seconds=60)


@pytest.mark.parametrize("function", TEMPLATE.functions, ids=lambda function: function.module)
def test_a_policy_allows_exactly_what_is_asked(
    function: Function, asked: Asked, event: Callable[..., dict[str, Any]]
) -> None:
    functions = {other.module: other for other in TEMPLATE.functions}
    parameters = {"conversation": f"support-{uuid.uuid4()}", "role": "user"}
    new_process()

    def call(operation: str) -> None:
        if operation == "send_worker":
            begin_turn(parameters["conversation"], event(operation)["holder"])
            asked.clear()
        body = {"body": json.dumps(BODIES[operation])} if operation in BODIES else {}
        changes = parameters if operation == "send_worker" else {"pathParameters": parameters, **body}
        invoke(functions[operation], event(operation, **changes))

    call(function.module)
    of_nothing_yet = set(asked)
    call("append_many")
    call("put_system")
    call("enqueue")
    asked.clear()
    new_process()
    call(function.module)
    needed = of_nothing_yet | asked | RARELY_ASKED.get(function.module, set())
    assert needed == grants_of(function.module)
