"""Starts a turn of the chat, and waits for its answer if asked to."""

from messagelog.api import Reply, Request, accepted, operation
from messagelog.api.chat import chat_of
from messagelog.api.sending import MAX_WAIT, answer, start_turn


@operation("POST /conversations/{conversation}/send", query=("wait",))
def handler(request: Request) -> Reply:
    wait, chat = request.query.number("wait", maximum=MAX_WAIT) or 0, chat_of(request)
    after = start_turn(request, chat)
    return answer(request, chat, after=after, seconds=wait) or accepted({"after": after})
