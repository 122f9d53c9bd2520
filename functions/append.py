"""Appends a message."""

from messagelog.api import Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages")
def handler(request: Request) -> Reply:
    return created(request.log.append(request.message()))
