"""Least privilege: what each role of template.yaml grants, and that nothing else grants anything."""

import json
from typing import Any

import pytest

from tests.support.sam_template import NOTHING, RESOURCES, TEMPLATE, function, logical_id, of_type


def grants(resource: str, *actions: str, service: str = "dynamodb") -> tuple[str, frozenset[str]]:
    return resource, frozenset(f"{service}:{action}" for action in actions)


APPEND = grants("MessageTable", "GetItem", "PutItem", "UpdateItem")
READ = grants("MessageTable", "Query")
COUNT = grants("MessageTable", "GetItem")
GRANTS: dict[str, set[tuple[str, frozenset[str]]]] = {
    "append": {APPEND},
    "add": {APPEND},
    "append_many": {APPEND},
    "all": {READ},
    "last": {READ},
    "count": {COUNT},
    "to_openai": {READ},
    "to_anthropic": {READ},
    "to_langchain": {READ},
    "to_bedrock": {READ},
    "enqueue": {grants("ChatTable", "PutItem")},
    "send": {
        grants("MessageTable", "GetItem", "Query"),
        grants("ChatTable", "GetItem", "PutItem", "UpdateItem"),
        grants("SendWorkerFunction", "InvokeFunction", service="lambda"),
    },
    "send_worker": {
        grants("MessageTable", "GetItem", "Query", "PutItem", "UpdateItem"),
        grants("ChatTable", "GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"),
        grants("FailedSendQueue", "SendMessage", service="sqs"),
    },
    "get_system": {grants("ChatTable", "GetItem", "Query")},
    "put_system": {grants("ChatTable", "GetItem", "Query", "PutItem", "DeleteItem")},
    "chat_messages": {READ, grants("ChatTable", "GetItem")},
    "clear": {COUNT, grants("ChatTable", "GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")},
}
each_operation = pytest.mark.parametrize("operation", GRANTS)


def statements_of(role: dict[str, Any]) -> list[dict[str, Any]]:
    return [statement for policy in role["Policies"] for statement in policy["PolicyDocument"]["Statement"]]


def actions_in(statement: dict[str, Any]) -> list[str]:
    actions = statement["Action"]
    return [actions] if isinstance(actions, str) else actions


@each_operation
def test_each_role_grants_what_its_operation_needs(operation: str) -> None:
    """A transaction is authorised by the actions in it (DynamoDB Developer Guide, "Using IAM with transactions")."""
    role = RESOURCES[f"{logical_id(operation)}Role"]["Properties"]
    assert function(operation)["Role"] == {"Fn::GetAtt": [f"{logical_id(operation)}Role", "Arn"]}
    statements = [it for it in statements_of(role) if "Fn::If" not in it]
    granted = {(it["Resource"]["Fn::GetAtt"][0], frozenset(actions_in(it))) for it in statements}
    assert granted == GRANTS[operation]
    assert all(set(it) == {"Effect", "Action", "Resource"} and it["Effect"] == "Allow" for it in statements)
    assert {it["Resource"]["Fn::GetAtt"][1] for it in statements} == {"Arn"}
    managed, of_the_key = role["ManagedPolicyArns"]
    assert managed.endswith(":policy/service-role/AWSLambdaBasicExecutionRole")
    assert of_the_key == {"Fn::If": ["HasKmsKey", {"Ref": "TableKeyPolicy"}, NOTHING]}


def test_only_chat_functions_may_delete_and_only_what_is_the_chats() -> None:
    deleting = {
        (operation, resource)
        for operation, granted in GRANTS.items()
        for resource, actions in granted
        if "dynamodb:DeleteItem" in actions
    }
    assert deleting == {(operation, "ChatTable") for operation in ("put_system", "clear", "send_worker")}


def test_the_worker_may_ask_its_model_and_read_its_key_if_there_are_any() -> None:
    conditional = [
        it["Fn::If"] for it in statements_of(RESOURCES["SendWorkerFunctionRole"]["Properties"]) if "Fn::If" in it
    ]
    foundation_model = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/${ChatModel}"
    of_bedrock = {"Fn::If": ["HasChatModelArns", {"Ref": "ChatModelArns"}, {"Fn::Sub": foundation_model}]}
    assert [(condition, it["Action"], it["Resource"], otherwise) for condition, it, otherwise in conditional] == [
        ("UsesBedrock", ["bedrock:InvokeModelWithResponseStream"], of_bedrock, NOTHING),
        ("HasChatApiKeySecret", ["secretsmanager:GetSecretValue"], {"Ref": "ChatApiKeySecretArn"}, NOTHING),
    ]


def test_the_key_of_an_api_is_in_no_variable() -> None:
    for properties in of_type("AWS::Lambda::Function").values():
        assert "CHAT_API_KEY" not in properties["Environment"]["Variables"]
    assert "{{resolve" not in json.dumps(TEMPLATE)


def test_nothing_else_grants_anything() -> None:
    granting = {name for name, resource in RESOURCES.items() if resource["Type"].startswith("AWS::IAM::")}
    of_functions = {f"{logical_id(operation)}Role" for operation in GRANTS}
    assert granting == of_functions | {"TableKeyPolicy", "LogAdvancedPipeRole"}
    assert "*" not in json.dumps(TEMPLATE)
