"""The HTTP side: what the functions are made of."""

from messagelog.api.operation import operation
from messagelog.api.reply import Reply, created, newest_page, ok, page
from messagelog.api.request import Request

__all__ = ["Reply", "Request", "created", "newest_page", "ok", "operation", "page"]
