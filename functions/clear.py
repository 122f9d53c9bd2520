"""Clears the chat, or only its messages."""

from messagelog.api import Reply, Request, ok, operation
from messagelog.api.chat import chat_of


@operation("POST /conversations/{conversation}/clear")
def handler(request: Request) -> Reply:
    chat = chat_of(request)
    if request.body.switch("messagesOnly"):
        chat.clear_messages()
    else:
        chat.clear()
    return ok({"cleared": True})
