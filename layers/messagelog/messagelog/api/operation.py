"""What every function shares: the route it answers, its log, its log line, and errors turned into replies.

Message content is private. A log line tells the operation, a hash of the conversation, the status and, of an error, its
class and code, and of a 5xx where it was raised; never its text, which may quote what was stored. A metric is a number.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeAlias

from aws_lambda_powertools.logging import Logger

from messagelog.api.metrics import report
from messagelog.api.problems import problem_of
from messagelog.api.reply import Reply, problem
from messagelog.api.request import Request
from messagelog.api.tables import log_of
from messagelog.dynamodb import Counters
from messagelog.errors import MessageLogError

Handler: TypeAlias = Callable[[Mapping[str, Any], Any], Reply]
PRECONDITIONS = ("if-match", "idempotency-key")

logger = Logger()
# At DEBUG these log requests and replies, and so content. Lambda sets its log level on the root logger.
for _name in ("boto3", "botocore", "urllib3", "openai", "httpx", "httpx2", "httpcore", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.INFO)


def operation(
    route: str, *, query: Sequence[str] = (), preconditions: Sequence[str] = ()
) -> Callable[[Callable[[Request], Reply]], Handler]:
    """Makes the function's `handler(event, context)` of a function from Request to Reply.

    `route` is its route key, as in template.yaml; `query` names the query parameters that it knows, and `preconditions`
    which of the headers If-Match and Idempotency-Key it heeds. A write refuses the others, on which its caller would
    rely; a read, which is safe to repeat, ignores them.
    """

    def decorate(run: Callable[[Request], Reply]) -> Handler:
        name = run.__module__.rpartition(".")[2]

        @wraps(run)
        def handler(event: Mapping[str, Any], context: Any) -> Reply:
            counters = Counters()
            failure: Exception | None = None
            request = Request(event, lambda conversation: log_of(conversation, context, counters), context, counters)
            try:
                request.check_route(route)
                request.check_caller()
                request.check_query(query)
                if not route.startswith("GET "):
                    request.check_preconditions(refused=set(PRECONDITIONS) - set(preconditions))
                reply = run(request)
            except Exception as error:
                failure = error
                reply = problem(*problem_of(error, repeatable=request.is_repeatable))
            log_outcome(name, request.conversation_hash, context, reply["statusCode"], failure)
            report(name, counters, failure)
            return reply

        return handler

    return decorate


def log_outcome(name: str, conversation: str, context: Any, status: int, error: Exception | None = None) -> None:
    """Logs what became of an operation; `conversation` is its hash.

    A 5xx is the stack's own fault, and so an error to whoever runs it.
    """
    fields: dict[str, Any] = {
        "operation": name,
        "request_id": getattr(context, "aws_request_id", None),
        "conversation": conversation,
        "status": status,
    }
    if error is not None:
        fields["error"] = type(error).__name__
    if isinstance(error, MessageLogError) and error.code:
        fields["code"] = error.code
    if status < 500 or error is None:
        logger.info("request", extra=fields)
        return
    frames = traceback.extract_tb(error.__traceback__)
    logger.error("request", extra={**fields, "raised_at": [f"{frame.filename}:{frame.lineno}" for frame in frames]})
