"""Reads the history as a view for langchain."""

from messagelog.api import Reply, Request, ok, operation


@operation("GET /conversations/{conversation}/messages/langchain")
def handler(request: Request) -> Reply:
    return ok({"messages": request.log.to_langchain(), "next": None})
