"""Reads the history as a view for anthropic."""

from messagelog.api import Reply, Request, ok, operation


@operation("GET /conversations/{conversation}/messages/anthropic")
def handler(request: Request) -> Reply:
    return ok({"messages": request.log.to_anthropic(), "next": None})
