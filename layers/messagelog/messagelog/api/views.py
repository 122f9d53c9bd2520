"""A provider view as a reply: a window of it if asked for, and in pages."""

from __future__ import annotations

from messagelog.api.reply import Reply, ok
from messagelog.api.request import Request
from messagelog.reply_limit import ROOM, size_of
from messagelog.views.pages import View, page

VIEW_QUERY = ("last", "max_tokens", "after", "faithful")


def view_page(request: Request, turns: View) -> Reply:
    """Returns as much of a view as a reply carries, and in `next` the `after` of the next page.

    The reply has the count as its ETag if it shows the end of the log. A window moves as the log grows, and the ids of
    its next page are made from the messages in it at that time. So its pages are one view only if the log does not
    change.

    Args:
        request: The request, with the query of `VIEW_QUERY`.
        turns: The function `turns` of a module in `messagelog.views`.
    """
    last, max_tokens = request.query.number("last"), request.query.number("max_tokens")
    after, faithful = request.query.number("after") or 0, request.query.flag("faithful")
    messages = request.log.window(last=last, max_tokens=max_tokens)
    is_whole = last is None and max_tokens is None
    count = messages[-1].seq if messages else 0 if is_whole else None  # an empty window says nothing of the log
    shown = page(turns, messages, room=ROOM, size=size_of, after=after, faithful=faithful)
    return ok({"messages": shown.messages, "next": shown.next}, count=count if shown.next is None else None)
