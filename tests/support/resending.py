"""A client that sends a request again by itself, as boto3's does by default, and faults that it meets there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError
from botocore.httpsession import URLLib3Session

from tests.support.faulty import Outcome

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class TimedOut(Outcome):
    """Done, but the client does not wait for the answer, and sends the request again."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        URLLib3Session().send(request)
        raise ReadTimeoutError(endpoint_url=request.url)


class NoConnection(Outcome):
    """Not done, and the client sends the request again."""

    def send(self, request: AWSPreparedRequest) -> AWSResponse | None:
        raise ConnectTimeoutError(endpoint_url=request.url)


def client_of(retries: dict[str, object]) -> DynamoDBClient:
    """A client with these settings for retries."""
    return boto3.client("dynamodb", config=Config(retries=retries))  # type: ignore[arg-type]
