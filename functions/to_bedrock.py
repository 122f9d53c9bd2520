"""Reads the history in the shape of the Bedrock Converse API."""

from messagelog.api import VIEW_QUERY, Reply, Request, operation, view_page
from messagelog.views import bedrock


@operation("GET /conversations/{conversation}/messages/bedrock", query=VIEW_QUERY)
def handler(request: Request) -> Reply:
    return view_page(request, bedrock.turns)
