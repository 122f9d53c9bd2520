"""Reads the history in the shape of LangChain."""

from messagelog.api import VIEW_QUERY, Reply, Request, operation, view_page
from messagelog.views import langchain


@operation("GET /conversations/{conversation}/messages/langchain", query=VIEW_QUERY)
def handler(request: Request) -> Reply:
    return view_page(request, langchain.turns)
