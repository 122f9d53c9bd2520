"""The boto3 client of a storage: makes the default client, and refuses a client that cannot work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import NoRegionError

from messagelog.errors import StorageUnavailableError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CONNECT_TIMEOUT = 1.0
READ_TIMEOUT = 3.0

# "Naming rules" in the DynamoDB developer guide; an ARN names a table of another account.
_TABLE = re.compile(r"[a-zA-Z0-9_.-]{3,255}|arn:[a-z-]+:dynamodb:[a-z0-9-]+:\d{12}:table/[a-zA-Z0-9_.-]{3,255}")
_OF_A_RESOURCE = "dynamodb-attr-value-input"  # boto3/dynamodb/transform.py registers it on a resource's client


def default_client() -> DynamoDBClient:
    """Returns a client without retries of its own. It gives up within seconds if a connection does not answer.

    Raises:
        StorageUnavailableError: No region is configured.
    """
    config = Config(
        connect_timeout=CONNECT_TIMEOUT,
        read_timeout=READ_TIMEOUT,
        retries={"total_max_attempts": 1},
        max_pool_connections=50,
        tcp_keepalive=True,
    )
    try:
        return boto3.client("dynamodb", config=config)
    except (NoRegionError, ValueError) as failure:  # an empty region makes an endpoint that is not a URL
        if isinstance(failure, ValueError) and "endpoint" not in str(failure):
            raise
        error = StorageUnavailableError("no AWS region is configured: set AWS_DEFAULT_REGION", is_of_the_stack=True)
        error.code = "NoRegionError"
        raise error from failure


def check_table(name: object) -> None:
    """Raises ValueError unless DynamoDB takes this as the name of a table."""
    if not isinstance(name, str) or not _TABLE.fullmatch(name):
        raise ValueError(
            "table must be the name of a DynamoDB table: 3 to 255 of a-z, A-Z, 0-9, _, - and ., or its ARN"
        )


def check_client(client: Any) -> None:
    """Raises TypeError unless this is a boto3 client for DynamoDB that returns items as DynamoDB sends them."""
    service = getattr(getattr(getattr(client, "meta", None), "service_model", None), "service_name", None)
    if service != "dynamodb" or not hasattr(client, "transact_write_items"):
        raise TypeError(
            'client must be a boto3 client for DynamoDB, such as default_client() or boto3.client("dynamodb")'
        )
    handlers = getattr(getattr(client.meta.events, "_emitter", client.meta.events), "_unique_id_handlers", {})
    if _OF_A_RESOURCE in handlers:
        raise TypeError(
            "client must not belong to a boto3 resource, which changes the items: use default_client() or "
            'boto3.client("dynamodb") instead of resource.meta.client'
        )
