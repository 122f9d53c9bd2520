"""Reads the messages of the chat's window, or the historic messages, oldest first."""

from messagelog.api import Reply, Request, operation
from messagelog.api.chat import chat_of, messages_page


@operation("GET /conversations/{conversation}/chat", query=("after", "limit", "historic"))
def handler(request: Request) -> Reply:
    after, limit = request.query.number("after") or 0, request.query.number("limit", minimum=1)
    return messages_page(chat_of(request), after=after, limit=limit, historic=bool(request.query.flag("historic")))
