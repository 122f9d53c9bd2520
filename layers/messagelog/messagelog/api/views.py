"""Returns a provider view as a reply, in pages, and of a window if the query asks for one."""

from __future__ import annotations

from messagelog.api.means import within_means
from messagelog.api.reply import Reply, ok
from messagelog.api.request import Request
from messagelog.api.request.query import LARGEST
from messagelog.messages import Messages
from messagelog.reply_limit import ROOM, size_of
from messagelog.views.pages import View, page
from messagelog.views.target import Target
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import window

VIEW_QUERY = ("last", "max_tokens", "step", "after", "faithful", "model", "reasoning")


def view_page(request: Request, turns: View) -> Reply:
    """Returns as much of a view as a reply carries, and in `next` the `after` of the next page.

    The reply has the count as its ETag if it shows the end of the log. A window moves as the log grows, and the ids of
    its next page are made from the messages in it at that time. So its pages are one view only if the log does not
    change.

    Args:
        request: The request, with the query of `VIEW_QUERY`.
        turns: The function `turns` of a module in `messagelog.views`.

    Raises:
        RequestError: 413, because the function does not have enough memory or time for the messages of the view.
        PageTooLargeError: Messages that belong together do not fit one reply.
    """
    query = request.query
    messages = _window(request)
    count = messages[-1].seq if messages else 0
    target = Target(bool(query.flag("faithful")), query.text("model"), query.flag("reasoning"))
    after = query.number("after") or 0
    shown = page(turns, messages, room=ROOM, size=size_of, after=after, target=target)
    return ok({"messages": shown.messages, "next": shown.next}, count=count if shown.next is None else None)


def _window(request: Request) -> Messages:
    """The messages of the window that the query asks for, or of the whole log."""
    query = request.query
    last = query.number("last")
    step = query.number("step", minimum=1, maximum=last or LARGEST) or 1
    limits = WindowLimits(last=last, max_tokens=query.number("max_tokens"), step=step)
    if limits.is_open:
        return Messages(within_means(request.log.iter_all(), request.context))
    return window(within_means(request.log.newest_first(), request.context), limits)
