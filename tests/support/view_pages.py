"""Pages of a view, for tests."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

from messagelog import StoredMessage
from messagelog.views.pages import Page, PageTooLargeError, page
from messagelog.views.target import Target


def size(body: dict[str, Any]) -> int:
    return len(json.dumps(body))


def pages(view: ModuleType, log: list[StoredMessage], room: int, **options: Any) -> list[Page]:
    """Returns all pages of the view. If the messages of a page cannot be separated, it gets the room that it needs."""
    found: list[Page] = []
    after: int | None = 0
    while after is not None:
        try:
            found.append(page(view.turns, iter(log), room=room, size=size, after=after, **options))
        except PageTooLargeError as error:
            found.append(_too_large(view, log, error, after, options))
        after = found[-1].next
    return found


def _too_large(view: ModuleType, log: list[StoredMessage], error: PageTooLargeError, after: int, options: Any) -> Page:
    assert after < error.first <= error.last <= len(log)
    too_small, enough = 0, sum(size(turn.body) for turn in view.turns(log, **options)) + 1
    while enough - too_small > 1:
        room = (too_small + enough) // 2
        try:
            found = page(view.turns, log, room=room, size=size, after=after, **options)
        except PageTooLargeError:
            too_small = room
        else:
            enough = room
    found = page(view.turns, log, room=enough, size=size, after=after, **options)
    assert found.next == error.next
    return found


def joined(parts: list[Page]) -> list[dict[str, Any]]:
    """Returns the entries of all pages. A turn that two pages share is one again."""
    entries: list[dict[str, Any]] = []
    for part in parts:
        here = part.messages
        if entries and here and isinstance(here[0]["content"], list) and entries[-1]["role"] == here[0]["role"]:
            entries[-1] = {**entries[-1], "content": entries[-1]["content"] + here[0]["content"]}
            here = here[1:]
        entries += here
    return entries


def whole_view(view: ModuleType, log: list[StoredMessage], *, faithful: bool = False) -> list[dict[str, Any]]:
    return [turn.body for turn in view.turns(log, Target(faithful=faithful))]


def largest_stretch(view: ModuleType, log: list[StoredMessage]) -> int:
    """Returns the size of the largest run of turns from one that holds only a user's text to the next."""
    stretches = [0]
    for body in whole_view(view, log):
        content = body["content"]
        is_text = isinstance(content, str) or all("text" in block for block in content)
        if body["role"] in ("user", "system") and is_text:
            stretches.append(0)
        stretches[-1] += size(body)
    return max(stretches)


def is_assistants(part: Page) -> bool:
    return part.messages[0]["role"] == "assistant"
