"""Appends all messages of a batch, or none."""

from messagelog.api import Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/batch")
def handler(request: Request) -> Reply:
    return created(request.log.append_many(request.messages()))
