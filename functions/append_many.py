"""Appends all messages of a batch, or none."""

from messagelog.api import PRECONDITIONS, Reply, Request, created, operation
from messagelog.log import admit_all


@operation("POST /conversations/{conversation}/messages/batch", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    return created(request.log.store(request.append(*admit_all(request.body.messages()))))
