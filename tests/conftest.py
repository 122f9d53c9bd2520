"""Fixtures for all tests: sample events, a Lambda context, and tables of template.yaml on moto and on MiniStack."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from local.dynamodb import CREDENTIALS, connect, embedded_dynamodb
from local.runtime import LambdaContext
from local.template import ROOT, Template, read_template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="session")
def template() -> Template:
    """template.yaml as the local tools read it."""
    return read_template()


@pytest.fixture
def table_definition(template: Template) -> dict[str, Any]:
    """The arguments of CreateTable for MessageTable."""
    return copy.deepcopy(template.tables["MessageTable"])


@pytest.fixture
def moto_table(table_definition: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[DynamoDBClient]:
    """A DynamoDB client on moto with an empty MessageTable. The environment is that of a function."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"):
        monkeypatch.delenv(name, raising=False)
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MESSAGELOG_TABLE", table_definition["TableName"])
    with mock_aws():
        client = boto3.client("dynamodb")
        client.create_table(**table_definition)
        yield client


@pytest.fixture(scope="session")
def ministack() -> Iterator[str]:
    """The endpoint of a MiniStack for the session. Under xdist, each worker has its own. Nothing is kept on disk."""
    with embedded_dynamodb() as endpoint:
        yield endpoint


@pytest.fixture
def ministack_table(ministack: str, table_definition: dict[str, Any]) -> tuple[DynamoDBClient, str]:
    """A client for MiniStack, and the name of a new, empty table."""
    client = connect(ministack)
    name = f"messages-{uuid.uuid4().hex}"
    client.create_table(**{**table_definition, "TableName": name})
    return client, name


@pytest.fixture
def event() -> Callable[..., dict[str, Any]]:
    """`event("append", body="…")`: the sample event of an operation with some fields changed."""

    def load(operation: str, **changes: Any) -> dict[str, Any]:
        sample = json.loads((ROOT / "events" / f"{operation}.json").read_text(encoding="utf-8"))
        return {**sample, **changes}

    return load


@pytest.fixture
def lambda_context() -> LambdaContext:
    """The context of a new invocation."""
    return LambdaContext("TestFunction", memory_limit_in_mb=512, timeout=900)


@pytest.fixture
def requests_of() -> Callable[[DynamoDBClient], list[str]]:
    """`requests_of(client)`: a list that grows by the name of the operation with each request of the client."""

    def record(client: DynamoDBClient) -> list[str]:
        sent: list[str] = []

        def remember(event_name: str, **_: Any) -> None:
            sent.append(event_name.rpartition(".")[2])

        client.meta.events.register("before-send.dynamodb", remember)
        return sent

    return record
