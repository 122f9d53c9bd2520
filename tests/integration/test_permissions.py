"""Each function's policy allows what the function asks of DynamoDB."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.client import BaseClient
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from local.runtime import invoke
from local.template import ROOT, Function, read_template
from tests.http_api import functions_on_moto

TEMPLATE = read_template()
RESOURCES: dict[str, Any] = yaml_parse((ROOT / "template.yaml").read_text())["Resources"]
LARGE = "".join(random.Random(1).choices("abcdefghijklmnop", k=1_000_000))  # over 400 KB compressed
LARGE_TREE = {"children": [{"id": "general", "children": [{"id": "persona", "content": LARGE}]}]}
BODIES = {
    "enqueue": {"role": "user", "content": LARGE},
    "put_system": {"tree": LARGE_TREE},
    "clear": {"messagesOnly": False},
}
Asked = set[tuple[str, str]]
# A large tree that somebody puts between the clear and the read that follows it.
RARELY_ASKED: dict[str, Asked] = {"clear": {("ChatTable", "dynamodb:Query")}}


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    with functions_on_moto():
        yield


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The tables and actions of all requests that any client sends from now on."""
    pairs: Asked = set()
    send = BaseClient._make_api_call  # type: ignore[attr-defined]

    def record(client: BaseClient, operation: str, arguments: dict[str, Any]) -> object:
        pairs.update((table, f"dynamodb:{name}") for table, name in actions_of(operation, arguments))
        return send(client, operation, arguments)

    monkeypatch.setattr(BaseClient, "_make_api_call", record)
    return pairs


def actions_of(operation: str, arguments: dict[str, Any]) -> set[tuple[str, str]]:
    """What IAM checks: of a transaction the actions in it (DynamoDB Developer Guide, "Using IAM with transactions")."""
    if operation != "TransactWriteItems":
        return {(arguments["TableName"], operation)}
    names = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
    return {(it["TableName"], names[kind]) for item in arguments["TransactItems"] for kind, it in item.items()}


def granted(function: Function) -> Asked:
    statements = RESOURCES[function.logical_id]["Properties"]["Policies"][0]["Statement"]
    return {
        (statement["Resource"]["Fn::GetAtt"][0], action) for statement in statements for action in statement["Action"]
    }


@pytest.mark.parametrize("function", TEMPLATE.functions, ids=lambda function: function.module)
def test_the_policy_allows_what_the_function_asks_and_no_more(
    function: Function, asked: Asked, event: Callable[..., dict[str, Any]]
) -> None:
    functions = {other.module: other for other in TEMPLATE.functions}
    parameters = {"conversation": f"support-{uuid.uuid4()}", "role": "user"}

    def call(operation: str) -> None:
        body = {"body": json.dumps(BODIES[operation])} if operation in BODIES else {}
        invoke(functions[operation], event(operation, pathParameters=parameters, **body))

    call(function.module)
    of_nothing_yet = set(asked)
    call("append_many")
    call("put_system")
    asked.clear()
    call(function.module)
    assert asked
    assert of_nothing_yet | asked <= granted(function)
    if function.module in BODIES:
        assert of_nothing_yet | asked | RARELY_ASKED.get(function.module, set()) == granted(function)
