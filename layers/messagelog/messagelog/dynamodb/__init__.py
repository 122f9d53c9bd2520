"""A log in DynamoDB. Everything that knows boto3 or the table is in this folder."""

try:
    import boto3  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "messagelog.dynamodb needs boto3: install the extra messagelog[aws], or run pip install boto3"
    ) from error

from messagelog.dynamodb.clients import default_client
from messagelog.dynamodb.counters import Counters
from messagelog.dynamodb.retry import Retry
from messagelog.dynamodb.storage import DynamoDBStorage

__all__ = ["Counters", "DynamoDBStorage", "Retry", "default_client"]
