"""The frame of every function: it checks the request, runs the operation, answers errors, and writes one log line.

Message content is private. A log line has the operation, a hash of the conversation and the status. For an error it
also has the class and the code, and for a 5xx the place where it was raised. It never has the error's text, which may
quote stored content. A metric is a number.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeAlias

from aws_lambda_powertools.logging import Logger

from messagelog.api.metrics import report
from messagelog.api.problems import RequestError, problem_of
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
    """Makes a function from Request to Reply the `handler(event, context)` of a Lambda function.

    Args:
        route: The route key, as in template.yaml.
        query: The query parameters that the operation takes.
        preconditions: The preconditions that the operation supports, of `PRECONDITIONS`. A write refuses the others,
            because its caller would rely on them. A read ignores them, because it is safe to repeat.
    """

    def decorate(run: Callable[[Request], Reply]) -> Handler:
        name = run.__module__.rpartition(".")[2]

        @wraps(run)
        def handler(event: Mapping[str, Any], context: Any) -> Reply:
            counters = Counters()
            failure: Exception | None = None
            request = Request(event, lambda conversation: log_of(conversation, context, counters), context, counters)
            try:
                _check(request, route, query, preconditions)
                reply = run(request)
            except Exception as error:
                failure = error
                reply = problem(*problem_of(error, repeatable=request.headers.is_repeatable))
            log_outcome(name, request.hashes, context, reply["statusCode"], failure)
            report(name, counters, failure)
            return reply

        return handler

    return decorate


def _check(request: Request, route: str, query: Sequence[str], preconditions: Sequence[str]) -> None:
    """Refuses a request that this operation does not serve. A caller without a tenant learns nothing else."""
    request.check_route(route)
    _ = request.tenant
    request.query.check_names(query)
    if not route.startswith("GET "):
        request.headers.check_unsupported([name for name in PRECONDITIONS if name not in preconditions])


def log_outcome(
    name: str, hashes: Mapping[str, str], context: Any, status: int, error: Exception | None = None
) -> None:
    """Logs the outcome of an operation.

    Args:
        name: The operation.
        hashes: The hashes of the conversation and, with tenants, of the tenant. An access log cannot hash a claim
            ("Customizing HTTP API access logs"), so this line names the tenant; `request_id` joins the two.
        context: Lambda's context of the invocation.
        status: The HTTP status. A 5xx is a fault of the stack, and so an error for whoever runs it.
        error: The error that ended the operation.
    """
    fields: dict[str, Any] = {
        "operation": name,
        "request_id": getattr(context, "aws_request_id", None),
        **hashes,
        "status": status,
    }
    if error is not None:
        fields["error"] = type(error).__name__
    if isinstance(error, MessageLogError | RequestError) and error.code:
        fields["code"] = error.code
    if status < 500 or error is None:
        logger.info("request", extra=fields)
        return
    frames = traceback.extract_tb(error.__traceback__)
    logger.error("request", extra={**fields, "raised_at": [f"{frame.filename}:{frame.lineno}" for frame in frames]})
