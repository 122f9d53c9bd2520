"""Appends a message that has only a role and a text."""

from messagelog import AgentMessage
from messagelog.admission import admit
from messagelog.api import PRECONDITIONS, Reply, Request, created, operation


@operation("POST /conversations/{conversation}/messages/{role}", preconditions=PRECONDITIONS)
def handler(request: Request) -> Reply:
    message = AgentMessage(request.path.role, request.body.content())
    return created(request.log.store(request.append(admit(message))))
