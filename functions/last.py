"""Reads the last message, or the last n."""

from messagelog import codec
from messagelog.api import Reply, Request, newest_page, ok, operation


@operation("GET /conversations/{conversation}/messages/last", query=("n",))
def handler(request: Request) -> Reply:
    n = request.query.number("n")
    if n is not None:
        return newest_page(request.log.newest_first(n), n=n)
    message = request.log.last()
    return ok({"message": message and codec.to_json(message)}, count=message.seq if message else 0)
