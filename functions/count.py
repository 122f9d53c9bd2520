"""Counts the messages."""

from messagelog.api import Reply, Request, ok, operation


@operation("GET /conversations/{conversation}/messages/count")
def handler(request: Request) -> Reply:
    count = request.log.count()
    return ok({"count": count}, count=count)
