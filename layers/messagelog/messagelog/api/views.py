"""A provider view as a reply: a window of it if asked for, and in pages."""

from __future__ import annotations

from messagelog.api.reply import Reply, ok
from messagelog.api.request import Request
from messagelog.api.request.query import LARGEST
from messagelog.reply_limit import ROOM, size_of
from messagelog.views.pages import View, page
from messagelog.views.target import Target

VIEW_QUERY = ("last", "max_tokens", "step", "after", "faithful", "model", "reasoning")


def view_page(request: Request, turns: View) -> Reply:
    """Returns as much of a view as a reply carries, and in `next` the `after` of the next page.

    The reply has the count as its ETag if it shows the end of the log. A window moves as the log grows, and the ids of
    its next page are made from the messages in it at that time. So its pages are one view only if the log does not
    change.

    Args:
        request: The request, with the query of `VIEW_QUERY`.
        turns: The function `turns` of a module in `messagelog.views`.
    """
    query = request.query
    last = query.number("last")
    step = query.number("step", minimum=1, maximum=last or LARGEST) or 1
    messages = request.log.window(last=last, max_tokens=query.number("max_tokens"), step=step)
    count = messages[-1].seq if messages else 0
    target = Target(bool(query.flag("faithful")), query.text("model"), query.flag("reasoning"))
    after = query.number("after") or 0
    shown = page(turns, messages, room=ROOM, size=size_of, after=after, target=target)
    return ok({"messages": shown.messages, "next": shown.next}, count=count if shown.next is None else None)
