"""What every function shares: the route it answers, its log, its log line, and errors turned into replies.

Message content is private. A log line tells the operation, a hash of the conversation, the status and, of an error, its
class and where it was raised; never its text, which may quote what was stored.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeAlias

from aws_lambda_powertools.logging import Logger

from messagelog.api.problems import problem_of
from messagelog.api.reply import Reply, problem
from messagelog.api.request import Request
from messagelog.dynamodb.retry import Retry
from messagelog.dynamodb.storage import CONNECT_TIMEOUT, READ_TIMEOUT, DynamoDBStorage, default_client
from messagelog.log import MessageLog
from messagelog.settings import Settings, settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Handler: TypeAlias = Callable[[Mapping[str, Any], Any], Reply]

_RETRY_SECONDS = 2.0
_SPARE_SECONDS = CONNECT_TIMEOUT + READ_TIMEOUT + 0.5  # the last try, and the reply

logger = Logger()
# At DEBUG these log requests and replies, and so content. Lambda sets its log level on the root logger.
for _name in ("boto3", "botocore", "urllib3"):
    logging.getLogger(_name).setLevel(logging.INFO)


def operation(route: str, *, query: Sequence[str] = ()) -> Callable[[Callable[[Request], Reply]], Handler]:
    """Makes the function's `handler(event, context)` of a function from Request to Reply.

    `route` is its route key, as in template.yaml; `query` names the query parameters that it knows.
    """

    def decorate(run: Callable[[Request], Reply]) -> Handler:
        name = run.__module__.rpartition(".")[2]

        @wraps(run)
        def handler(event: Mapping[str, Any], context: Any) -> Reply:
            request = Request(event, lambda conversation: _log_of(conversation, context))
            try:
                request.check_route(route)
                request.check_query(query)
                reply = run(request)
                _log_request(name, request, context, reply)
            except Exception as error:
                reply = problem(*problem_of(error, repeatable=request.is_repeatable))
                _log_request(name, request, context, reply, error)
            return reply

        return handler

    return decorate


def _log_of(conversation: str, context: Any) -> MessageLog:
    here = settings()
    storage = DynamoDBStorage(
        conversation, table=here.table, client=_client(here), retry=Retry(budget=_budget(context))
    )
    return MessageLog(storage)


@lru_cache(maxsize=1)
def _client(here: Settings) -> DynamoDBClient:
    """One client for as long as the process and its settings last: it holds the connections and the counts."""
    return default_client()


def _budget(context: Any) -> float:
    """How many seconds to go on trying, so that the function still answers before Lambda ends it."""
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    return _RETRY_SECONDS if remaining is None else max(0.0, min(_RETRY_SECONDS, remaining() / 1000 - _SPARE_SECONDS))


def _log_request(name: str, request: Request, context: Any, reply: Reply, error: Exception | None = None) -> None:
    fields: dict[str, Any] = {
        "operation": name,
        "request_id": getattr(context, "aws_request_id", None),
        "conversation": request.conversation_hash,
        "status": reply["statusCode"],
    }
    if error is not None:
        fields["error"] = type(error).__name__
    if reply["statusCode"] != 500 or error is None:
        logger.info("request", extra=fields)
        return
    frames = traceback.extract_tb(error.__traceback__)
    logger.error("request", extra={**fields, "raised_at": [f"{frame.filename}:{frame.lineno}" for frame in frames]})
