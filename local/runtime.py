"""Does the work of Lambda: calls a function's handler in this process, with its environment, context and limits."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from local.dynamodb import CREDENTIALS
from local.template import Function, Template

# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html and the text of ResponseSizeTooLarge
MAX_EVENT_BYTES = 6 * 1024 * 1024
MAX_REPLY_BYTES = 6_291_556


class EventTooLargeError(Exception):
    """The event is larger than Lambda accepts. This limit is lower than API Gateway's limit of 10 MB for a body."""


class ReplyTooLargeError(Exception):
    """The reply is larger than Lambda allows."""


@dataclass(frozen=True)
class LambdaContext:
    """The parts of the context object that have a meaning in a local run.

    Source: https://docs.aws.amazon.com/lambda/latest/dg/python-context.html
    """

    function_name: str
    memory_limit_in_mb: int
    timeout: int = 3
    function_version: str = "$LATEST"
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    _start: float = field(default_factory=time.monotonic)

    @property
    def invoked_function_arn(self) -> str:
        return f"arn:aws:lambda:us-east-1:000000000000:function:{self.function_name}"

    @property
    def log_group_name(self) -> str:
        return f"/aws/lambda/{self.function_name}"

    @property
    def log_stream_name(self) -> str:
        return "local"

    def get_remaining_time_in_millis(self) -> int:
        return max(0, int((self._start + self.timeout - time.monotonic()) * 1000))


def prepare(template: Template, endpoint: str, **variables: str) -> None:
    """Prepare this process to run the template's functions: set their environment, the layer and the table's endpoint.

    `variables` are added to the environment. A variable that the template leaves empty may come from the developer's
    own environment. An AWS profile or session of the developer is removed, so that no function can reach a real
    account.
    """
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        os.environ.pop(name, None)
    os.environ.update(
        {
            **{name: value or os.environ.get(name, "") for name, value in template.environment().items()},
            **CREDENTIALS,
            "AWS_REGION": CREDENTIALS["AWS_DEFAULT_REGION"],
            "POWERTOOLS_METRICS_DISABLED": "true",  # because nobody reads traces of a local run
            "AWS_ENDPOINT_URL_DYNAMODB": endpoint,
            **variables,
        }
    )
    folders = [*template.layers, *(function.folder for function in template.functions)]
    sys.path[:0] = [folder for folder in dict.fromkeys(str(f.resolve()) for f in folders) if folder not in sys.path]


def invoke(function: Function, event: Mapping[str, Any], request_id: str | None = None) -> object:
    """Call the function's handler and return its reply, both passed through JSON as Lambda does.

    `request_id` is the id of the request in the function's log; by default a new one. Raises the errors of the handler,
    EventTooLargeError and ReplyTooLargeError.
    """
    sent = json.dumps(event)
    if len(sent.encode()) > MAX_EVENT_BYTES:
        raise EventTooLargeError(f"The event has more than {MAX_EVENT_BYTES} bytes.")
    handler: Callable[[Any, LambdaContext], object] = getattr(
        importlib.import_module(function.module), function.attribute
    )
    context = LambdaContext(
        function.logical_id, function.memory, function.timeout, aws_request_id=request_id or str(uuid.uuid4())
    )
    reply = handler(json.loads(sent), context)
    received = json.dumps(reply)
    if len(received.encode()) > MAX_REPLY_BYTES:
        raise ReplyTooLargeError(f"The reply has {len(received.encode())} bytes; Lambda allows {MAX_REPLY_BYTES}.")
    result: object = json.loads(received)
    return result
