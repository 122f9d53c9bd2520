"""Least privilege: what the roles of template.yaml may do, and that nothing else grants anything.

tests/integration/handlers/test_permissions.py runs each function, and compares what it asks for with what it may do.
"""

from __future__ import annotations

import json

import pytest

from tests.support.sam_template import (
    NOTHING,
    OPERATIONS,
    RESOURCES,
    ROUTES,
    TEMPLATE,
    each_operation,
    function,
    grants_of,
    logical_id,
    of_type,
    resources,
    statements_of,
)

READS = {"dynamodb:GetItem", "dynamodb:Query"}
WRITES = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"}
TABLES = {"MessageTable", "ChatTable"}
DELETES_CHAT_STATE = {"put_system", "clear", "send_worker"}
SECRET = {"ChatApiKeySecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:key"}
KEY = {"ChatApiKeySecretKmsKeyArn": "arn:aws:kms:us-east-1:123456789012:key/0c4f2a3e-5d1b-4a6f-9c8e-7b6a5d4c3b2a"}


@each_operation
def test_each_function_has_a_role_of_its_own(operation: str) -> None:
    role = RESOURCES[f"{logical_id(operation)}Role"]["Properties"]
    assert function(operation)["Role"] == {"Fn::GetAtt": [f"{logical_id(operation)}Role", "Arn"]}
    managed, of_the_key = role["ManagedPolicyArns"]
    assert managed.endswith(":policy/service-role/AWSLambdaBasicExecutionRole")
    assert of_the_key == {"Fn::If": ["HasKmsKey", {"Ref": "TableKeyPolicy"}, NOTHING]}


@each_operation
def test_each_grant_names_actions_on_a_whole_resource(operation: str) -> None:
    """A transaction is authorised by the actions in it (DynamoDB Developer Guide, "Using IAM with transactions")."""
    statements = [it for it in statements_of(operation) if "Fn::If" not in it]
    assert all(set(it) == {"Effect", "Action", "Resource"} and it["Effect"] == "Allow" for it in statements)
    assert {it["Resource"]["Fn::GetAtt"][1] for it in statements} == {"Arn"}
    assert {action for resource, action in grants_of(operation) if resource in TABLES} <= READS | WRITES


@pytest.mark.parametrize("operation", [name for name, route in ROUTES.items() if route.startswith("GET ")])
def test_a_read_may_only_read(operation: str) -> None:
    assert {action for _, action in grants_of(operation)} <= READS
    assert {resource for resource, _ in grants_of(operation)} <= TABLES


@each_operation
def test_only_chat_functions_may_delete_and_only_state(operation: str) -> None:
    deletes = {resource for resource, action in grants_of(operation) if action == "dynamodb:DeleteItem"}
    assert deletes == ({"ChatTable"} if operation in DELETES_CHAT_STATE else set())


def test_only_a_send_and_its_worker_use_other_services() -> None:
    others = {
        (operation, resource, action)
        for operation in OPERATIONS
        for resource, action in grants_of(operation)
        if resource not in TABLES
    }
    assert others == {
        ("send", "SendWorkerFunction", "lambda:InvokeFunction"),
        ("send_worker", "FailedSendQueue", "sqs:SendMessage"),
    }


def test_the_worker_may_ask_its_model_and_read_its_key() -> None:
    conditional = [it["Fn::If"] for it in statements_of("send_worker") if "Fn::If" in it]
    foundation_model = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/${ChatModel}"
    of_bedrock = {"Fn::If": ["HasChatModelArns", {"Ref": "ChatModelArns"}, {"Fn::Sub": foundation_model}]}
    assert [(condition, it["Action"], it["Resource"], otherwise) for condition, it, otherwise in conditional] == [
        ("UsesBedrock", ["bedrock:InvokeModelWithResponseStream"], of_bedrock, NOTHING),
        ("HasChatApiKeySecret", ["secretsmanager:GetSecretValue"], {"Ref": "ChatApiKeySecretArn"}, NOTHING),
        ("HasChatApiKeySecretKmsKey", ["kms:Decrypt"], {"Ref": "ChatApiKeySecretKmsKeyArn"}, NOTHING),
    ]
    assert not [it for name in set(OPERATIONS) - {"send_worker"} for it in statements_of(name) if "Fn::If" in it]


def test_the_secrets_key_decrypts_only_for_secrets_manager() -> None:
    statement = statements_of("send_worker", resources(**SECRET, **KEY))[-1]
    assert statement["Action"] == ["kms:Decrypt"]
    via = {"kms:ViaService": {"Fn::Sub": "secretsmanager.${AWS::Region}.${AWS::URLSuffix}"}}
    assert statement["Condition"] == {"StringEquals": via}
    (without,) = TEMPLATE["Rules"]["SecretKeyNeedsSecret"]["Assertions"]
    assert without["Assert"] == {"Fn::Equals": [{"Ref": "ChatApiKeySecretKmsKeyArn"}, ""]}


def test_the_key_of_an_api_is_in_no_variable() -> None:
    for properties in of_type("AWS::Lambda::Function").values():
        assert "CHAT_API_KEY" not in properties["Environment"]["Variables"]
    assert "{{resolve" not in json.dumps(TEMPLATE)


def test_nothing_else_grants_anything() -> None:
    granting = {name for name, resource in RESOURCES.items() if resource["Type"].startswith("AWS::IAM::")}
    of_functions = {f"{logical_id(operation)}Role" for operation in OPERATIONS}
    assert granting == of_functions | {"TableKeyPolicy", "LogAdvancedPipeRole"}
    assert "*" not in json.dumps(TEMPLATE)
