"""Pages: each stands alone, and joined they are the whole view."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, MessageTooLargeError, StoredMessage, ToolCall
from messagelog.views import anthropic, bedrock, langchain, openai
from messagelog.views.pages import Page, PageTooLargeError, page

from tests.providers.logs import broken_logs, interrupted_logs, mark, stored, valid_logs
from tests.unit.views.test_promises import PROVIDERS, VIEWS, Provider, marks_in

any_log = st.one_of(broken_logs(), interrupted_logs(), valid_logs())

USER = AgentMessage("user", "q")
ASSISTANT = AgentMessage("assistant", "a")
CALL = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", {}),))
RESULT = AgentMessage("tool", "R", tool_call_id="t1")


def size(body: dict[str, Any]) -> int:
    return len(json.dumps(body))


def pages(view: ModuleType, log: list[StoredMessage], room: int, **options: Any) -> list[Page]:
    """All pages of the view. Where the messages of a page cannot be parted, it gets the room it needs."""
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
    """The entries of all pages, a turn that two pages share put together again."""
    entries: list[dict[str, Any]] = []
    for part in parts:
        here = part.messages
        if entries and here and isinstance(here[0]["content"], list) and entries[-1]["role"] == here[0]["role"]:
            entries[-1] = {**entries[-1], "content": entries[-1]["content"] + here[0]["content"]}
            here = here[1:]
        entries += here
    return entries


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("faithful", [False, True], ids=["mended", "faithful"])
@given(log=any_log, room=st.integers(1, 900))
@settings(max_examples=150, deadline=None)
def test_pages_joined_are_the_whole_view(view: ModuleType, faithful: bool, log: list[StoredMessage], room: int) -> None:
    parts = pages(view, log, room, faithful=faithful)
    if faithful:
        assert [body for part in parts for body in part.messages] == whole_view(view, log, faithful=True)
    else:
        assert joined(parts) == whole_view(view, log)


@pytest.mark.parametrize("view", [anthropic, bedrock], ids=["anthropic", "bedrock"])
@given(log=any_log, more=st.integers(0, 50))
@settings(max_examples=200, deadline=None)
def test_no_two_pages_share_a_turn_if_what_belongs_together_fits(
    view: ModuleType, log: list[StoredMessage], more: int
) -> None:
    room = largest_stretch(view, log) + more
    assert [body for part in pages(view, log, room) for body in part.messages] == whole_view(view, log)


def whole_view(view: ModuleType, log: list[StoredMessage], *, faithful: bool = False) -> list[dict[str, Any]]:
    return [turn.body for turn in view.turns(log, faithful=faithful)]


def largest_stretch(view: ModuleType, log: list[StoredMessage]) -> int:
    """The size of the largest run of turns from one that holds a user's text alone to the next."""
    stretches = [0]
    for body in whole_view(view, log):
        content = body["content"]
        is_text = isinstance(content, str) or all("text" in block for block in content)
        if body["role"] in ("user", "system") and is_text:
            stretches.append(0)
        stretches[-1] += size(body)
    return max(stretches)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(log=any_log, room=st.integers(1, 900))
@settings(max_examples=200, deadline=None)
def test_each_page_stands_alone_or_behind_a_user(provider: Provider, log: list[StoredMessage], room: int) -> None:
    for part in pages(provider.view, log, room):
        asked = [whole_view(provider.view, stored([USER]))[0]] if part.messages[:1] and is_assistants(part) else []
        assert provider.rules.faults(provider.rules.continued(asked + part.messages)) == []


@pytest.mark.parametrize("view", VIEWS)
@given(log=any_log, more=st.integers(0, 50))
@settings(max_examples=200, deadline=None)
def test_no_page_begins_with_the_assistant_if_it_need_not(
    view: ModuleType, log: list[StoredMessage], more: int
) -> None:
    parts = pages(view, log, largest_stretch(view, log) + more)
    assert not any(is_assistants(part) for part in parts[1:])


def is_assistants(part: Page) -> bool:
    return part.messages[0]["role"] == "assistant"


@pytest.mark.parametrize("view", VIEWS)
@given(log=any_log, after=st.integers(0, 25), room=st.integers(1, 900))
@settings(max_examples=200, deadline=None)
def test_from_an_after_of_ones_own_the_pages_lead_on(
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
def test_an_after_of_ones_own_gives_what_the_provider_takes(
    provider: Provider, log: list[StoredMessage], after: int
) -> None:
    part = page(provider.view.turns, log, room=10**6, size=size, after=after)
    assert provider.rules.faults(provider.rules.continued(part.messages)) == []


@pytest.mark.parametrize("view", VIEWS)
@given(log=any_log, after=st.integers(0, 25))
@settings(max_examples=200, deadline=None)
def test_behind_an_after_of_ones_own_nothing_is_lost_and_nothing_made_up(
    view: ModuleType, log: list[StoredMessage], after: int
) -> None:
    """The page is an end of the whole view. Only a result may be missing: it stands with its call, maybe before."""
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


@pytest.mark.parametrize("faithful", [False, True], ids=["mended", "faithful"])
@pytest.mark.parametrize("view", VIEWS)
def test_what_the_view_does_not_show_moves_no_cut(view: ModuleType, faithful: bool) -> None:
    log = stored([USER, ASSISTANT, AgentMessage("reasoning", "hm"), AgentMessage("user", "more"), ASSISTANT])
    for after in (2, 3):
        part = page(view.turns, log, room=10**6, size=size, after=after, faithful=faithful)
        assert part.messages == whole_view(view, log, faithful=faithful)[2:]
    log = stored([USER, ASSISTANT, AgentMessage("reasoning", "hm")])
    assert page(view.turns, log, room=10**6, size=size, after=2, faithful=faithful).messages == []


@st.composite
def late_logs(draw: st.DrawFn) -> list[StoredMessage]:
    """A turn of an agent that went on before the results of its calls came."""
    ids = [f"id-{number}" for number in range(draw(st.integers(1, 9)))]
    calls = AgentMessage("assistant", mark(1), tool_calls=tuple(ToolCall(id, "f", {}) for id in ids))
    speech = [AgentMessage("assistant", mark(100 + number)) for number in range(draw(st.integers(1, 4)))]
    results = [AgentMessage("tool", draw(st.sampled_from([mark(200), " "])), tool_call_id=id) for id in ids]
    return stored([USER, calls, *speech, *results])


@pytest.mark.parametrize("view", VIEWS)
@given(log=st.one_of(any_log, late_logs()), room=st.integers(1, 1500), data=st.data())
@settings(max_examples=300, deadline=None)
def test_while_the_log_grows_no_page_shows_again_what_one_before_it_showed(
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


@pytest.mark.parametrize("view", [openai, anthropic, bedrock], ids=["openai", "anthropic", "bedrock"])
@pytest.mark.parametrize("result", ["R", " "], ids=["short", "blank"])
def test_the_next_of_a_page_is_a_place_to_begin_when_late_results_have_made_all_smaller(
    view: ModuleType, result: str
) -> None:
    ids = [f"t{number}" for number in range(50)]
    calls = AgentMessage("assistant", "", tool_calls=tuple(ToolCall(id, "f", {}) for id in ids))
    log = stored([USER, calls, ASSISTANT, ASSISTANT, ASSISTANT])
    grown = stored([*log, *(AgentMessage("tool", result, tool_call_id=id) for id in ids)])
    room = sum(map(size, whole_view(view, log))) - 1
    assert sum(map(size, whole_view(view, grown))) < room
    after = page(view.turns, log, room=room, size=size).next
    assert after is not None
    behind = page(view.turns, grown, room=room, size=size, after=after).messages
    assert "t0" not in json.dumps(behind)


@given(log=valid_logs(), room=st.integers(200, 900))
@settings(max_examples=100, deadline=None)
def test_a_page_holds_as_much_as_fits(log: list[StoredMessage], room: int) -> None:
    for part in pages(openai, log, room):
        if part.next is not None and sum(map(size, part.messages)) <= room:
            behind = page(openai.turns, log, room=10**6, size=size, after=part.next).messages
            until = next((i for i, body in enumerate(behind) if i and body["role"] in ("user", "system")), len(behind))
            assert sum(map(size, part.messages + behind[:until])) > room


@pytest.mark.parametrize("view", [openai, anthropic], ids=["openai", "anthropic"])
def test_an_id_used_on_an_earlier_page_is_a_repeated_id(view: ModuleType) -> None:
    log = stored([USER, CALL, RESULT, ASSISTANT] * 3)
    parts = pages(view, log, room=400)
    assert len(parts) > 1
    assert len({json.dumps(part.messages) for part in parts}) == len(parts)


def test_a_late_result_is_on_the_page_of_its_call_only() -> None:
    log = stored([USER, CALL, *[AgentMessage("user", "x" * 100)] * 20, RESULT])
    parts = pages(openai, log, room=500)
    assert "R" in [body["content"] for body in parts[0].messages]
    assert not any(body["content"] == "R" for part in parts[1:] for body in part.messages)


def test_an_unanswered_call_is_answered_where_the_page_ends() -> None:
    parts = pages(openai, stored([USER, CALL, AgentMessage("user", "x" * 400), ASSISTANT]), room=450)
    assert [body["role"] for body in parts[0].messages] == ["user", "assistant", "tool"]


def test_an_after_inside_an_exchange_begins_before_it() -> None:
    log = stored([USER, CALL, RESULT, USER])
    part = page(openai.turns, log, room=10**6, size=size, after=2)
    assert [body["role"] for body in part.messages] == ["user", "assistant", "tool", "user"]


def test_an_exchange_too_large_names_its_seqs_and_what_is_behind() -> None:
    log = stored([USER, ASSISTANT, USER, CALL, AgentMessage("tool", "x" * 900, tool_call_id="t1"), USER])
    assert page(openai.turns, log, room=600, size=size, after=2) == Page([{"role": "user", "content": "q"}], 3)
    with pytest.raises(PageTooLargeError, match="4 to 5") as caught:
        page(openai.turns, log, room=600, size=size, after=3)
    assert (caught.value.first, caught.value.last, caught.value.next) == (4, 5, 5)
    assert isinstance(caught.value, MessageTooLargeError)
    with pytest.raises(PageTooLargeError, match=r"6 to 6.*last"):
        page(openai.turns, log, room=1, size=size, after=5)


def test_a_turn_larger_than_a_page_is_parted_between_its_messages() -> None:
    log = stored([AgentMessage("user", "x" * 100)] * 7 + [ASSISTANT])
    parts = pages(anthropic, log, room=500)
    assert [(len(part.messages), part.next) for part in parts] == [(1, 3), (1, 6), (2, None)]
    assert joined(parts) == whole_view(anthropic, log)


def test_a_text_behind_results_may_begin_a_page_if_it_must() -> None:
    log = stored([USER, CALL, RESULT, AgentMessage("user", "x" * 300), ASSISTANT])
    first, second = pages(anthropic, log, room=450)
    assert first.next == 3
    assert second.messages[0]["content"] == [{"type": "text", "text": "x" * 300}]


@pytest.mark.parametrize("view", [openai, anthropic, bedrock], ids=["openai", "anthropic", "bedrock"])
def test_a_turn_of_many_exchanges_is_cut_between_them(view: ModuleType) -> None:
    steps = [(AgentMessage("assistant", "", tool_calls=(ToolCall(f"t{n}", "f", {}),)), f"t{n}") for n in range(20)]
    exchanges = [m for call, id in steps for m in (call, AgentMessage("tool", "x" * 100, tool_call_id=id))]
    parts = pages(view, log := stored([USER, *exchanges, ASSISTANT, USER]), room=1_000)
    assert len(parts) > 3
    assert all(sum(map(size, part.messages)) <= 1_000 for part in parts)
    assert [is_assistants(part) for part in parts] == [False] + [True] * (len(parts) - 1)
    assert [body for part in parts for body in part.messages] == whole_view(view, log)


@pytest.mark.parametrize("view", VIEWS)
def test_a_long_speech_of_the_assistant_is_cut_between_its_messages(view: ModuleType) -> None:
    parts = pages(view, log := stored([USER, *[AgentMessage("assistant", "x" * 100)] * 9]), room=400)
    assert len(parts) > 2
    assert all(sum(map(size, part.messages)) <= 400 for part in parts)
    assert joined(parts) == whole_view(view, log)


def test_a_page_of_nothing() -> None:
    assert page(langchain.turns, stored([USER]), room=10, size=size, after=1) == Page([], None)
