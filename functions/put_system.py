"""Replaces the prompt tree."""

from messagelog.api import Reply, Request, operation
from messagelog.api.chat import chat_of, put_system


@operation("PUT /conversations/{conversation}/system", preconditions=("if-match",))
def handler(request: Request) -> Reply:
    return put_system(chat_of(request), request.body.tree(), version=request.headers.if_match)
