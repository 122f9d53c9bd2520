"""Faults around limits that people have reported in public: replies that Lambda refuses. Each test names its source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from messagelog import MessageLog
from messagelog.dynamodb import DynamoDBStorage, default_client

from local.template import Template
from tests.support.http_api import HttpApi, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


def test_a_conversation_longer_than_a_reply_is_read_whole(
    table: DynamoDBClient, template: Template, event: Any
) -> None:
    """https://github.com/aws-samples/sample-spec-driven-presentation-maker/pull/198,
    https://github.com/DataBiosphere/azul/issues/8192
    """
    api = HttpApi(event)  # this checks every reply against Lambda's limit
    contents = [f"m{number} " + "y" * 300_000 for number in range(1, 31)]
    for content in contents:
        assert api.post("append", {"role": "user", "content": content}).status == 201
    first = api.get("all")
    assert first.status == 200
    assert first.json["next"] == first.json["messages"][-1]["seq"], "the reply says that more messages follow"
    assert api.contents() == contents
    storage = DynamoDBStorage(
        api.conversation, table=template.tables["MessageTable"]["TableName"], client=default_client()
    )
    assert len(MessageLog(storage).all()) == 30
