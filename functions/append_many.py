"""Appends all messages of a batch, or none."""

from messagelog.admission import admit_all
from messagelog.api import PRECONDITIONS, Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/batch", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    return created(request.log.store(request.append(*admit_all(request.body.messages()))))
