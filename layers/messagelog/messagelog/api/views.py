"""A provider view as a reply: windowed if asked to, and in pages."""

from __future__ import annotations

from collections.abc import Callable

from messagelog.api.reply import Reply, ok
from messagelog.api.request import Request
from messagelog.reply_limit import ROOM, size_of
from messagelog.views.pages import page
from messagelog.views.turns import Turn

VIEW_QUERY = ("last", "max_tokens", "after", "faithful")


def view_page(request: Request, turns: Callable[..., list[Turn]]) -> Reply:
    """As much of the view as a reply holds, and in `next` the `after` of the page behind it.

    `turns` is that of a module of `messagelog.views`. The reply carries the count if it shows the end of the log.
    A window moves as the log grows, and the ids of its next page are made from the messages that are in it by then: its
    pages are one view only of a log that stands still.
    """
    last, max_tokens = request.number("last"), request.number("max_tokens")
    after, faithful = request.number("after") or 0, request.flag("faithful")
    count: int | None
    if last is None and max_tokens is None:
        messages = request.log.all()
        count = messages[-1].seq if messages else 0
    else:
        messages = request.log.window(last=last, max_tokens=max_tokens)
        count = messages[-1].seq if messages else None
    shown = page(turns, messages, room=ROOM, size=size_of, after=after, faithful=faithful)
    return ok({"messages": shown.messages, "next": shown.next}, count=count if shown.next is None else None)
