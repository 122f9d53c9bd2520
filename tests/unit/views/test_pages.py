"""The promises of pages, tested on generated logs: each page stands alone, and joined they are the whole view."""

from __future__ import annotations

import json
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, StoredMessage, ToolCall
from messagelog.views import anthropic, bedrock, openai
from messagelog.views.pages import Page, PageTooLargeError, page
from messagelog.views.target import Target

from tests.providers.logs import mark, stored, valid_logs
from tests.support.providers import PROVIDERS, VIEWS, Provider, any_log, marks_in
from tests.support.view_pages import is_assistants, joined, largest_stretch, pages, size, whole_view

USER = AgentMessage("user", "q")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("faithful", [False, True], ids=["repaired", "faithful"])
@given(log=any_log, room=st.integers(1, 900))
@settings(max_examples=150, deadline=None)
def test_pages_joined_are_the_whole_view(view: ModuleType, faithful: bool, log: list[StoredMessage], room: int) -> None:
    parts = pages(view, log, room, target=Target(faithful=faithful))
    if faithful:
        assert [body for part in parts for body in part.messages] == whole_view(view, log, faithful=True)
    else:
        assert joined(parts) == whole_view(view, log)


@pytest.mark.parametrize("view", [anthropic, bedrock], ids=["anthropic", "bedrock"])
@given(log=any_log, more=st.integers(0, 50))
@settings(max_examples=200, deadline=None)
def test_pages_share_no_turn_if_each_exchange_fits(view: ModuleType, log: list[StoredMessage], more: int) -> None:
    room = largest_stretch(view, log) + more
    assert [body for part in pages(view, log, room) for body in part.messages] == whole_view(view, log)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(log=any_log, room=st.integers(1, 900))
@settings(max_examples=200, deadline=None)
def test_each_page_stands_alone_or_after_a_user(provider: Provider, log: list[StoredMessage], room: int) -> None:
    for part in pages(provider.view, log, room):
        asked = [whole_view(provider.view, stored([USER]))[0]] if part.messages[:1] and is_assistants(part) else []
        assert provider.rules.faults(provider.rules.continued(asked + part.messages)) == []


@pytest.mark.parametrize("view", VIEWS)
@given(log=any_log, more=st.integers(0, 50))
@settings(max_examples=200, deadline=None)
def test_a_page_begins_with_the_assistant_only_if_it_must(
    view: ModuleType, log: list[StoredMessage], more: int
) -> None:
    parts = pages(view, log, largest_stretch(view, log) + more)
    assert not any(is_assistants(part) for part in parts[1:])


@pytest.mark.parametrize("view", VIEWS)
@given(log=any_log, after=st.integers(0, 25), room=st.integers(1, 900))
@settings(max_examples=200, deadline=None)
def test_the_next_of_any_page_is_after_its_after(
    view: ModuleType, log: list[StoredMessage], after: int, room: int
) -> None:
    try:
        following = page(view.turns, log, room=room, size=size, after=after).next
    except PageTooLargeError as error:
        following = error.next
    assert following is None or following > after


@pytest.mark.parametrize("provider", PROVIDERS)
@given(log=any_log, after=st.integers(0, 25))
@settings(max_examples=200, deadline=None)
def test_a_page_after_any_message_is_accepted(provider: Provider, log: list[StoredMessage], after: int) -> None:
    part = page(provider.view.turns, log, room=10**6, size=size, after=after)
    assert provider.rules.faults(provider.rules.continued(part.messages)) == []


@pytest.mark.parametrize("view", VIEWS)
@given(log=any_log, after=st.integers(0, 25))
@settings(max_examples=200, deadline=None)
def test_a_page_after_any_message_is_an_end_of_the_view(view: ModuleType, log: list[StoredMessage], after: int) -> None:
    """Only a result may be missing, because it stands with its call, and the call may be before the page."""
    shown = page(view.turns, log, room=10**6, size=size, after=after).messages
    whole = whole_view(view, log)
    before = whole[: len(whole) - len(shown)]
    if shown and shown[0] != (first := whole[len(before)]):
        blocks = len(first["content"]) - len(shown[0]["content"])
        before.append({**first, "content": first["content"][:blocks]})
    assert joined([Page(before, None), Page(shown, None)]) == whole
    text = json.dumps(before, ensure_ascii=False)
    assert not any(
        mark in text for message in log[after:] if message.role != "tool" for mark in marks_in(message.content)
    )


@st.composite
def late_logs(draw: st.DrawFn) -> list[StoredMessage]:
    """A turn of an agent that went on before it had the results of its calls."""
    ids = [f"id-{number}" for number in range(draw(st.integers(1, 9)))]
    calls = AgentMessage("assistant", mark(1), tool_calls=tuple(ToolCall(id, "f", {}) for id in ids))
    speech = [AgentMessage("assistant", mark(100 + number)) for number in range(draw(st.integers(1, 4)))]
    results = [AgentMessage("tool", draw(st.sampled_from([mark(200), " "])), tool_call_id=id) for id in ids]
    return stored([USER, calls, *speech, *results])


@pytest.mark.parametrize("view", VIEWS)
@given(log=st.one_of(any_log, late_logs()), room=st.integers(1, 1500), data=st.data())
@settings(max_examples=300, deadline=None)
def test_pages_of_a_growing_log_repeat_nothing(
    view: ModuleType, log: list[StoredMessage], room: int, data: st.DataObject
) -> None:
    shown: set[str] = set()
    after: int | None = 0
    length = 0
    while after is not None:
        length = data.draw(st.integers(max(length, after), len(log)))
        first = after + 1
        try:
            part = page(view.turns, log[:length], room=room, size=size, after=after)
        except PageTooLargeError as error:
            part, first = Page([], error.next), error.first
        marks = set(marks_in(json.dumps(part.messages, ensure_ascii=False)))
        assert first > after
        assert not marks & shown
        shown |= marks
        after = part.next


@given(log=valid_logs(), room=st.integers(200, 900))
@settings(max_examples=100, deadline=None)
def test_a_page_holds_as_much_as_fits(log: list[StoredMessage], room: int) -> None:
    for part in pages(openai, log, room):
        if part.next is not None and sum(map(size, part.messages)) <= room:
            rest = page(openai.turns, log, room=10**6, size=size, after=part.next).messages
            until = next((i for i, body in enumerate(rest) if i and body["role"] in ("user", "system")), len(rest))
            assert sum(map(size, part.messages + rest[:until])) > room
