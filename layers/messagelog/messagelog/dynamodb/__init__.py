"""A log in DynamoDB. Everything that knows boto3 or the table is in this folder."""

from messagelog.dynamodb.retry import Retry
from messagelog.dynamodb.storage import DynamoDBStorage, default_client

__all__ = ["DynamoDBStorage", "Retry", "default_client"]
