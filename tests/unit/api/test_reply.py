"""Replies by themselves: where a page is cut, what `next` says, and that Lambda carries them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from messagelog import StoredMessage
from messagelog.api import created, newest_page, ok, page
from messagelog.storage import Appended

from tests.support.http_api import Received

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALPHABET = ["a", '"', "\\", "\0", "\n", "\x7f", "é", "語", "\u2028", "😀", "\ufeff", "</"]
BYTES = [1, 1_000, 100_000, 340_000, 400_000]  # so that a few messages are too many for a reply, or for a text

# Each text, and how many bytes of it: the log itself would make an unreadable report.
recipes = st.lists(st.tuples(st.sampled_from(ALPHABET), st.sampled_from(BYTES)), max_size=14)


def log_of(recipe: list[tuple[str, int]]) -> list[StoredMessage]:
    return [stored(seq, repeated(text, size)) for seq, (text, size) in enumerate(recipe, 1)]


def repeated(text: str, size: int) -> str:
    """About `size` bytes of JSON."""
    return text * (size // (len(json.dumps(text, ensure_ascii=False).encode()) - 2) or 1)


def stored(seq: int, content: str) -> StoredMessage:
    return StoredMessage(role="user", content=content, seq=seq, at=AT)


def seqs(reply: Any) -> list[int]:
    return [message["seq"] for message in Received.of(reply).json["messages"]]


def pages(log: list[StoredMessage], limit: int | None) -> Iterator[Received]:
    after: int | None = 0
    while after is not None:
        received = Received.of(page(iter(log[after:]), after=after, limit=limit))
        yield received
        assert received.json["next"] is None or received.json["next"] > after
        after = received.json["next"]


@settings(max_examples=25, deadline=None)
@example(recipe=[("é", 400_000)] * 14, limit=None)
@example(recipe=[("\0", 400_000)] * 14, limit=13)
@given(recipe=recipes, limit=st.none() | st.integers(1, 20))
def test_pages_fit_and_joined_are_the_whole_log(recipe: list[tuple[str, int]], limit: int | None) -> None:
    log = log_of(recipe)
    read = [message for received in pages(log, limit) for message in received.json["messages"]]
    assert [(message["seq"], message["content"]) for message in read] == [(it.seq, it.content) for it in log]


@settings(max_examples=25, deadline=None)
@example(recipe=[("é", 400_000)] * 14, n=13)
@given(recipe=recipes, n=st.integers(1, 20))
def test_the_newest_fit_and_next_leads_to_the_rest(recipe: list[tuple[str, int]], n: int) -> None:
    log = log_of(recipe)
    last_n = log[-n:]
    received = Received.of(newest_page(reversed(last_n), n=n))
    shown = [message["seq"] for message in received.json["messages"]]
    assert shown == [it.seq for it in last_n][len(last_n) - len(shown) :]
    left_out = len(shown) < len(last_n)
    assert received.json["next"] == (last_n[0].seq - 1 if left_out else None)
    assert received.etag == f'"{len(log)}"'


@pytest.mark.parametrize("text", ALPHABET, ids=ascii)
@pytest.mark.parametrize("size", [1_040_000, 1_060_000, 2_090_000, 2_100_000, 4_700_000])
def test_a_reply_of_any_text_fits(text: str, size: int) -> None:
    """Whatever its escapes cost. The sizes are about a sixth, a third and three quarters of the limit."""
    value = {"content": repeated(text, size)}
    assert Received.of(ok(value)).json == value


def test_a_small_reply_is_text() -> None:
    reply = ok({"content": 'é😀"'})
    assert (reply["isBase64Encoded"], reply["body"]) == (False, '{"content":"é😀\\""}')


@pytest.mark.parametrize(
    ("after", "limit", "shown", "next_after", "etag"),
    [
        (0, None, [1, 2, 3], None, '"3"'),
        (0, 3, [1, 2, 3], None, '"3"'),
        (0, 2, [1, 2], 2, None),
        (1, 2, [2, 3], None, '"3"'),
        (2, 5, [3], None, '"3"'),
        (3, None, [], None, None),
        (7, 1, [], None, None),
    ],
)
def test_next_is_null_at_the_end_and_only_there(
    after: int, limit: int | None, shown: list[int], next_after: int | None, etag: str | None
) -> None:
    log = [stored(seq, "x") for seq in (1, 2, 3)]
    received = Received.of(page(log[after:], after=after, limit=limit))
    assert seqs(page(log[after:], after=after, limit=limit)) == shown
    assert (received.json["next"], received.etag) == (next_after, etag)


def test_an_empty_log_is_an_end() -> None:
    for reply in (page([], after=0, limit=None), newest_page([], n=3)):
        received = Received.of(reply)
        assert (received.json, received.etag) == ({"messages": [], "next": None}, '"0"')


def test_of_no_messages_the_end_is_not_known() -> None:
    assert Received.of(newest_page([], n=0)).etag is None


def test_created_tells_the_seq_twice() -> None:
    received = Received.of(created(Appended(7)))
    assert (received.status, received.json, received.etag) == (201, {"seq": 7}, '"7"')


def test_a_replay_tells_the_seq_alone() -> None:
    received = Received.of(created(Appended(7, replayed=True)))
    assert (received.status, received.json, received.etag) == (201, {"seq": 7}, None)
