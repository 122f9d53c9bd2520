"""Reads the messages after `after`, oldest first."""

from messagelog.api import Reply, Request, operation, page


@operation("GET /conversations/{conversation}/messages", query=("after", "limit"))
def handler(request: Request) -> Reply:
    after, limit = request.query.number("after") or 0, request.query.number("limit", minimum=1)
    messages = request.log.iter_all(after=after, limit=limit + 1 if limit else None)
    return page(messages, after=after, limit=limit)
