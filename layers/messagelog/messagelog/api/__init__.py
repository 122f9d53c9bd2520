"""The HTTP API: the parts from which the functions are made."""

from messagelog.api.operation import PRECONDITIONS, operation
from messagelog.api.reply import Reply, accepted, created, newest_page, ok, page
from messagelog.api.request import Request
from messagelog.api.views import VIEW_QUERY, view_page

__all__ = [
    "PRECONDITIONS",
    "VIEW_QUERY",
    "Reply",
    "Request",
    "accepted",
    "created",
    "newest_page",
    "ok",
    "operation",
    "page",
    "view_page",
]
