"""Reads the prompt tree and its composed text."""

from messagelog.api import Reply, Request, operation
from messagelog.api.chat import chat_of, system_reply


@operation("GET /conversations/{conversation}/system")
def handler(request: Request) -> Reply:
    return system_reply(chat_of(request))
