"""Reads the history in the shape of the Anthropic Messages API."""

from messagelog.api import VIEW_QUERY, Reply, Request, operation, view_page
from messagelog.views import anthropic


@operation("GET /conversations/{conversation}/messages/anthropic", query=VIEW_QUERY)
def handler(request: Request) -> Reply:
    return view_page(request, anthropic.turns)
