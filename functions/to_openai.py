"""Reads the history in the shape of OpenAI Chat Completions."""

from messagelog.api import VIEW_QUERY, Reply, Request, operation, view_page
from messagelog.views import openai


@operation("GET /conversations/{conversation}/messages/openai", query=VIEW_QUERY)
def handler(request: Request) -> Reply:
    return view_page(request, openai.turns)
