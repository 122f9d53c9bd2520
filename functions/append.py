"""Appends a message."""

from messagelog.admission import admit
from messagelog.api import PRECONDITIONS, Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    return created(request.log.store(request.append(admit(request.body.message()))))
