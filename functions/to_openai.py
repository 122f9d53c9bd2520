"""Reads the history as a view for openai."""

from messagelog.api import Reply, Request, ok, operation


@operation("GET /conversations/{conversation}/messages/openai")
def handler(request: Request) -> Reply:
    return ok({"messages": request.log.to_openai(), "next": None})
