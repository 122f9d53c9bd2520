"""The tables, opened for one invocation."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from messagelog.dynamodb import Counters
from messagelog.dynamodb.clients import CONNECT_TIMEOUT, READ_TIMEOUT, default_client
from messagelog.dynamodb.retry import Retry
from messagelog.dynamodb.storage import DynamoDBStorage
from messagelog.log import MessageLog
from messagelog.settings import Settings, settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_SPARE_SECONDS = CONNECT_TIMEOUT + READ_TIMEOUT + 0.5  # for the last request, and for the reply


def log_of(conversation: str, context: Any, counters: Counters) -> MessageLog:
    """Opens the log of a conversation for one invocation.

    Args:
        conversation: The name of the conversation in the table.
        context: Lambda's context of the invocation.
        counters: Count what is done to the log.
    """
    here = settings()
    return MessageLog(
        DynamoDBStorage(
            conversation, table=here.table, client=client_of(here), retry=retry_within(context), counters=counters
        )
    )


@lru_cache(maxsize=1)
def client_of(here: Settings) -> DynamoDBClient:
    """Returns one client for as long as the settings stay the same. It keeps the connections and the known counts."""
    return default_client()


def retry_within(context: Any) -> Retry:
    """Returns how long to try, so that the function still answers before Lambda ends it."""
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    if remaining is None:
        return Retry()
    return Retry(deadline=time.monotonic() + remaining() / 1000 - _SPARE_SECONDS)
