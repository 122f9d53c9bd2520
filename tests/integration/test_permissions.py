"""Each function's policy allows what the function asks of DynamoDB."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from botocore.client import BaseClient
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from local.runtime import invoke
from local.template import ROOT, Function, read_template

TEMPLATE = read_template()
RESOURCES: dict[str, Any] = yaml_parse((ROOT / "template.yaml").read_text())["Resources"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The actions of all requests that any client sends from now on."""
    actions: set[str] = set()
    send = BaseClient._make_api_call  # type: ignore[attr-defined]

    def record(client: BaseClient, operation: str, arguments: dict[str, Any]) -> object:
        actions.update(f"dynamodb:{name}" for name in actions_of(operation, arguments))
        return send(client, operation, arguments)

    monkeypatch.setattr(BaseClient, "_make_api_call", record)
    return actions


def actions_of(operation: str, arguments: dict[str, Any]) -> set[str]:
    """What IAM checks: of a transaction the actions in it (DynamoDB Developer Guide, "Using IAM with transactions")."""
    if operation != "TransactWriteItems":
        return {operation}
    names = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
    return {names[kind] for item in arguments["TransactItems"] for kind in item}


@pytest.mark.usefixtures("moto_table")
@pytest.mark.parametrize("function", TEMPLATE.functions, ids=lambda function: function.module)
def test_the_policy_allows_what_the_function_asks(
    function: Function, asked: set[str], event: Callable[..., dict[str, Any]]
) -> None:
    parameters = {"conversation": f"support-{uuid.uuid4()}", "role": "user"}
    sample = event(function.module, pathParameters=parameters)
    invoke(function, sample)
    of_an_empty_log = set(asked)
    (append_many,) = (other for other in TEMPLATE.functions if other.module == "append_many")
    invoke(append_many, event("append_many", pathParameters=parameters))
    asked.clear()
    invoke(function, sample)
    statements = RESOURCES[function.logical_id]["Properties"]["Policies"][0]["Statement"]
    assert asked
    assert of_an_empty_log | asked <= {action for statement in statements for action in statement["Action"]}
