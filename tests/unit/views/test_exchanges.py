"""Which result belongs to which call, and what becomes of calls and results without a partner."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from messagelog import AgentMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.openai import to_openai

from tests.providers.logs import stored
from tests.support.short_views import NONE, USER, anthropic, call, openai, result


def test_a_late_result_moves_up_to_its_call() -> None:
    found = openai(USER, call("t1"), AgentMessage("system", "s"), USER, result("t1", "R"))
    assert found[1:] == [("call", ["t1"]), ("result", "t1", "R"), ("system", "s"), ("user", "q")]


def test_a_result_answers_the_nearest_unanswered_call() -> None:
    found = openai(USER, call("t1"), USER, call("t1"), result("t1", "R"))
    assert found[1:3] == [("call", ["t1"]), ("result", "t1", NONE)]
    assert found[4:] == [("call", ["t1_4_0"]), ("result", "t1_4_0", "R")]


def test_the_next_result_answers_the_call_before() -> None:
    found = openai(USER, call("t1"), USER, call("t1"), result("t1", "late"), USER, result("t1", "later"))
    assert found[1:3] == [("call", ["t1"]), ("result", "t1", "later")]
    assert found[4:6] == [("call", ["t1_4_0"]), ("result", "t1_4_0", "late")]


def test_a_further_result_joins_the_first() -> None:
    found = openai(USER, call("t1"), result("t1", "one"), USER, result("t1", "two"))
    assert found[1:] == [("call", ["t1"]), ("result", "t1", "one\ntwo"), ("user", "q")]


def test_a_further_result_joins_the_nearest_answered_call() -> None:
    found = openai(USER, call("t1"), USER, call("t1"), *(result("t1", text) for text in ("one", "two", "three")))
    assert found[1:3] == [("call", ["t1"]), ("result", "t1", "two")]
    assert found[4:] == [("call", ["t1_4_0"]), ("result", "t1_4_0", "one\nthree")]


def test_two_calls_with_one_id_are_two_calls() -> None:
    found = openai(USER, call("t1", "t1"), result("t1", "one"), result("t1", "two"))
    assert found[1:] == [("call", ["t1", "t1_2_1"]), ("result", "t1", "one"), ("result", "t1_2_1", "two")]


def test_results_stand_in_the_order_of_the_calls_before_text() -> None:
    found = anthropic(USER, call("t1", "t2"), result("t2", "two"), USER, result("t1", "one"))
    assert found == [("user", ["q"]), ("assistant", ["?t1", "?t2"]), ("user", ["!t1 one", "!t2 two", "q"])]


def test_an_unanswered_call_gets_a_result_that_says_so() -> None:
    assert openai(USER, call("t1"), USER)[2] == ("result", "t1", NONE)
    block = to_anthropic(stored([USER, call("t1"), USER]))[2]["content"][0]
    assert block == {"type": "tool_result", "tool_use_id": "t1", "content": NONE, "is_error": True}


def test_calls_at_the_end_stay_open_beside_given_results() -> None:
    assert openai(USER, call("t1", "t2"), result("t2", "two"))[1:] == [("call", ["t1", "t2"]), ("result", "t2", "two")]
    assert anthropic(USER, call("t1", "t2"), result("t2", "two"))[2] == ("user", ["!t2 two"])
    assert anthropic(USER, call("t1", "t2"))[1:] == [("assistant", ["?t1", "?t2"])]


def test_a_hidden_message_does_not_end_the_waiting() -> None:
    hidden = [AgentMessage("reasoning", "hm")]
    assert openai(USER, call("t1"), *hidden)[-1] == ("call", ["t1"])
    hidden += [AgentMessage("system", "s"), AgentMessage("user", " ")]
    assert anthropic(USER, call("t1"), *hidden)[-1] == ("assistant", ["?t1"])


def test_reasoning_between_call_and_result_separates_nothing() -> None:
    found = openai(USER, call("t1"), AgentMessage("reasoning", "hm"), result("t1", "R"))
    assert found[1:] == [("call", ["t1"]), ("result", "t1", "R")]


@pytest.mark.parametrize(("name", "tool"), [("look_up", "look_up"), (None, "unknown_tool"), ("", "unknown_tool")])
def test_a_result_without_a_call_gets_one(name: str | None, tool: str) -> None:
    view = to_openai(stored([USER, result("t9", "R", name)]))
    assert view[1]["tool_calls"] == [{"id": "t9", "type": "function", "function": {"name": tool, "arguments": "{}"}}]
    assert view[2] == {"role": "tool", "tool_call_id": "t9", "content": "R"}


def test_a_result_before_its_call_is_one_without_a_call() -> None:
    found = openai(USER, result("t1", "R"), call("t1"))
    assert found == [("user", "q"), ("call", ["t1"]), ("result", "t1", "R"), ("call", ["t1_3_0"])]


def test_a_result_without_an_id_answers_a_call_without_an_id() -> None:
    found = openai(USER, call(""), result(None, "R"))
    assert found[1:] == [("call", ["call_2_0"]), ("result", "call_2_0", "R")]


def test_only_an_assistant_calls_tools() -> None:
    asked = AgentMessage("user", "q", tool_calls=(ToolCall("t1", "f", {}),))
    assert openai(asked) == [("user", "q")]
    assert anthropic(asked, AgentMessage("user", "", tool_calls=asked.tool_calls)) == [("user", ["q"])]


def test_a_long_log_takes_time_in_proportion() -> None:
    """Counted, not timed: every message is looked at a bounded number of times."""
    one, ten = (_steps_for(length) for length in (500, 5000))
    assert ten < 11 * one


def _steps_for(length: int) -> int:
    """How many lines of the views run for a log whose calls all have one id and mostly go unanswered."""
    log = stored([USER, call("t1", "t1"), result("t1", "R"), result("t2", "S")] * (length // 4))
    lines = 0

    def count(frame: Any, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        to_openai(log)
        to_anthropic(log)
    finally:
        sys.settrace(before)
    return lines
