"""Appends a message."""

from messagelog.api import PRECONDITIONS, Reply, Request, created, operation
from messagelog.log import admit


@operation("POST /conversations/{conversation}/messages", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    return created(request.log.store(request.append(admit(request.body.message()))))
