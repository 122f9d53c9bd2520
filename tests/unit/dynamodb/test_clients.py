"""A wrong client, table or region is an error when a storage is made, not at the first request."""

from __future__ import annotations

import boto3
import pytest
from messagelog import StorageUnavailableError
from messagelog.dynamodb import DynamoDBStorage, default_client

from local.dynamodb import CREDENTIALS

ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/abc"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("table", ["", "ab", "a b", "x" * 256, None, 7, "table/name", ARN + "/"])
def test_an_invalid_table_name_is_refused(table: object) -> None:
    with pytest.raises(ValueError, match="3 to 255"):
        DynamoDBStorage("c1", table=table)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", ["abc", "MessageTable", "a.b-c_9", ARN])
def test_a_table_name_or_an_arn_is_accepted(table: str) -> None:
    DynamoDBStorage("c1", table=table)


def test_a_client_of_another_service_is_refused() -> None:
    for client in (boto3.client("s3"), boto3.resource("dynamodb"), boto3.resource("dynamodb").Table("abc"), object()):
        with pytest.raises(TypeError, match="client must be a boto3 client for DynamoDB"):
            DynamoDBStorage("c1", table="abc", client=client)  # type: ignore[arg-type]


def test_the_client_inside_a_resource_is_refused() -> None:
    with pytest.raises(TypeError, match=r"resource\.meta\.client"):
        DynamoDBStorage("c1", table="abc", client=boto3.resource("dynamodb").meta.client)


@pytest.mark.parametrize("region", ["", None])
def test_a_missing_region_is_reported(monkeypatch: pytest.MonkeyPatch, region: str | None) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    if region is not None:
        monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    with pytest.raises(StorageUnavailableError, match="set AWS_DEFAULT_REGION") as caught:
        default_client()
    assert caught.value.code == "NoRegionError"
