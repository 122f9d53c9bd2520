"""Queues a message for the next send."""

from messagelog.api import Reply, Request, accepted, operation
from messagelog.api.chat import queue_of


@operation("POST /conversations/{conversation}/queue")
def handler(request: Request) -> Reply:
    queue_of(request).add(request.body.message())
    return accepted({"queued": True})
