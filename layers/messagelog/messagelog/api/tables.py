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

_SPARE_SECONDS = CONNECT_TIMEOUT + READ_TIMEOUT + 0.5  # the last try, and the reply


def log_of(conversation: str, context: Any, counters: Counters) -> MessageLog:
    """The log of a conversation, for an invocation with this context; `counters` are told what is done to it."""
    here = settings()
    return MessageLog(
        DynamoDBStorage(
            conversation, table=here.table, client=client_of(here), retry=retry_within(context), counters=counters
        )
    )


@lru_cache(maxsize=1)
def client_of(here: Settings) -> DynamoDBClient:
    """One client for as long as the process and its settings last: it holds the connections and the counts."""
    return default_client()


def retry_within(context: Any) -> Retry:
    """Goes on trying as long as the function still answers before Lambda ends it."""
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    if remaining is None:
        return Retry()
    return Retry(deadline=time.monotonic() + remaining() / 1000 - _SPARE_SECONDS)
