"""Where a page begins and ends, by example."""

from __future__ import annotations

import json
from types import ModuleType

import pytest
from messagelog import AgentMessage, MessageTooLargeError, Original, ToolCall
from messagelog.messages import Messages
from messagelog.views import anthropic, bedrock, langchain, openai
from messagelog.views.pages import Page, PageTooLargeError, page
from messagelog.views.target import Target

from tests.providers.logs import stored
from tests.support.providers import VIEWS
from tests.support.view_pages import is_assistants, joined, pages, size, whole_view

USER = AgentMessage("user", "q")
ASSISTANT = AgentMessage("assistant", "a")
CALL = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", {}),))
RESULT = AgentMessage("tool", "R", tool_call_id="t1")


@pytest.mark.parametrize("faithful", [False, True], ids=["repaired", "faithful"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_hidden_message_moves_no_cut(view: ModuleType, faithful: bool) -> None:
    log = stored([USER, ASSISTANT, AgentMessage("reasoning", "hm"), AgentMessage("user", "more"), ASSISTANT])
    for after in (2, 3):
        part = page(view.turns, log, room=10**6, size=size, after=after, target=Target(faithful=faithful))
        assert part.messages == whole_view(view, log, faithful=faithful)[2:]
    log = stored([USER, ASSISTANT, AgentMessage("reasoning", "hm")])
    assert page(view.turns, log, room=10**6, size=size, after=2, target=Target(faithful=faithful)).messages == []


def test_a_window_that_begins_with_hidden_thinking_has_a_page() -> None:
    thinking = Original("anthropic", [{"type": "thinking", "thinking": "hm", "signature": "s"}])
    log = Messages(stored([AgentMessage("assistant", "", original=thinking), USER]), reach=200, same_start_from=2)
    assert page(anthropic.turns, log, room=10**6, size=size).messages == whole_view(anthropic, stored([USER]))
    log = Messages(log[:1], reach=200, same_start_from=2)
    assert page(anthropic.turns, log, room=10**6, size=size) == Page([], None)


@pytest.mark.parametrize("view", [openai, anthropic, bedrock], ids=["openai", "anthropic", "bedrock"])
@pytest.mark.parametrize("result", ["R", " "], ids=["short", "blank"])
def test_a_next_stays_a_cut_when_late_results_shorten_the_view(view: ModuleType, result: str) -> None:
    ids = [f"t{number}" for number in range(50)]
    calls = AgentMessage("assistant", "", tool_calls=tuple(ToolCall(id, "f", {}) for id in ids))
    log = stored([USER, calls, ASSISTANT, ASSISTANT, ASSISTANT])
    grown = stored([*log, *(AgentMessage("tool", result, tool_call_id=id) for id in ids)])
    room = sum(map(size, whole_view(view, log))) - 1
    assert sum(map(size, whole_view(view, grown))) < room
    after = page(view.turns, log, room=room, size=size).next
    assert after is not None
    rest = page(view.turns, grown, room=room, size=size, after=after).messages
    assert "t0" not in json.dumps(rest)


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


def test_an_exchange_too_large_names_its_seqs_and_the_next() -> None:
    log = stored([USER, ASSISTANT, USER, CALL, AgentMessage("tool", "x" * 900, tool_call_id="t1"), USER])
    assert page(openai.turns, log, room=600, size=size, after=2) == Page([{"role": "user", "content": "q"}], 3)
    with pytest.raises(PageTooLargeError, match="4 to 5") as caught:
        page(openai.turns, log, room=600, size=size, after=3)
    assert (caught.value.first, caught.value.last, caught.value.next) == (4, 5, 5)
    assert isinstance(caught.value, MessageTooLargeError)
    with pytest.raises(PageTooLargeError, match=r"6 to 6.*last"):
        page(openai.turns, log, room=1, size=size, after=5)


def test_a_turn_larger_than_a_page_is_cut_between_messages() -> None:
    log = stored([AgentMessage("user", "x" * 100)] * 7 + [ASSISTANT])
    parts = pages(anthropic, log, room=500)
    assert [(len(part.messages), part.next) for part in parts] == [(1, 3), (1, 6), (2, None)]
    assert joined(parts) == whole_view(anthropic, log)


def test_a_text_after_results_may_begin_a_page_if_it_must() -> None:
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
def test_a_long_speech_is_cut_between_its_messages(view: ModuleType) -> None:
    parts = pages(view, log := stored([USER, *[AgentMessage("assistant", "x" * 100)] * 9]), room=400)
    assert len(parts) > 2
    assert all(sum(map(size, part.messages)) <= 400 for part in parts)
    assert joined(parts) == whole_view(view, log)


def test_a_page_of_nothing() -> None:
    assert page(langchain.turns, stored([USER]), room=10, size=size, after=1) == Page([], None)
