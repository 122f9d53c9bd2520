"""The tables of template.yaml are what the code expects, are kept, and are encrypted as chosen."""

from __future__ import annotations

import pytest

from tests.support.sam_template import of_type, resources

KEY = "arn:aws:kms:us-east-1:123456789012:key/0c4f2a3e-5d1b-4a6f-9c8e-7b6a5d4c3b2a"
BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"
each_table = pytest.mark.parametrize("name", ["MessageTable", "ChatTable"])


@each_table
def test_each_table_is_what_the_code_expects(name: str) -> None:
    expiry = {"TimeToLiveSpecification": {"AttributeName": "expires_at", "Enabled": True}}
    assert resources()[name]["Properties"] == {
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("conversation", "entry")],
        "KeySchema": [
            {"AttributeName": "conversation", "KeyType": "HASH"},
            {"AttributeName": "entry", "KeyType": "RANGE"},
        ],
        "DeletionProtectionEnabled": True,
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
        **(expiry if name == "MessageTable" else {}),
    }


@each_table
def test_each_table_outlives_its_stack(name: str) -> None:
    table = resources()[name]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")


@each_table
def test_a_key_encrypts_each_table(name: str) -> None:
    encryption = {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": {"Ref": "KmsKeyArn"}}
    assert resources(KmsKeyArn=KEY)[name]["Properties"]["SSESpecification"] == encryption
    assert "SSESpecification" not in resources()[name]["Properties"], "the default costs nothing"


def test_each_role_may_use_the_key_only_through_dynamodb() -> None:
    found = resources(KmsKeyArn=KEY, EventBusArn=BUS)
    for name, role in of_type("AWS::IAM::Role", found).items():
        assert {"Ref": "TableKeyPolicy"} in role.get("ManagedPolicyArns", []), f"{name} cannot use the tables' key"
    (statement,) = found["TableKeyPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    via_dynamodb = {"StringEquals": {"kms:ViaService": {"Fn::Sub": "dynamodb.${AWS::Region}.${AWS::URLSuffix}"}}}
    assert statement == {
        "Effect": "Allow",
        "Action": ["kms:Decrypt"],
        "Resource": {"Ref": "KmsKeyArn"},
        "Condition": via_dynamodb,
    }
    assert "TableKeyPolicy" not in resources()
