"""Appends a message of a role and a text."""

from messagelog.api import Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/{role}")
def handler(request: Request) -> Reply:
    return created(request.log.add(request.role, request.content()))
