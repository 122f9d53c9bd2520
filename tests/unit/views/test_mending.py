"""The rules of the views by example, each in the words of the contract."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from messagelog import AgentMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai

from tests.providers.logs import stored

USER = AgentMessage("user", "q")


def call(*ids: str, text: str = "") -> AgentMessage:
    return AgentMessage("assistant", text, tool_calls=tuple(ToolCall(id, "f", {}) for id in ids))


def result(id: str | None, text: str, name: str | None = None) -> AgentMessage:
    return AgentMessage("tool", text, name=name, tool_call_id=id)


def openai(*messages: AgentMessage) -> list[tuple[str, Any]]:
    """The view in short: a role with a text, the ids of calls, or the id and text of a result."""
    return [
        ("call", [call["id"] for call in entry["tool_calls"]])
        if "tool_calls" in entry
        else ("result", entry["tool_call_id"], entry["content"])
        if entry["role"] == "tool"
        else (entry["role"], entry["content"])
        for entry in to_openai(stored(messages))
    ]


def anthropic(*messages: AgentMessage) -> list[tuple[str, list[str]]]:
    """The view in short: of each turn the role and its blocks, `?id` for a call, `!id` for a result."""
    short = {
        "text": lambda block: block["text"],
        "tool_use": lambda block: "?" + block["id"],
        "tool_result": lambda block: f"!{block['tool_use_id']} {block.get('content', '')}".strip(),
    }
    return [
        (turn["role"], [short[block["type"]](block) for block in turn["content"]])
        for turn in to_anthropic(stored(messages))
    ]


NONE = "No result: this tool call was never answered."


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


def test_a_further_result_joins_the_nearest_answered_call() -> None:
    found = openai(USER, call("t1"), USER, call("t1"), *(result("t1", text) for text in ("one", "two", "three")))
    assert found[1:3] == [("call", ["t1"]), ("result", "t1", "two")]
    assert found[4:] == [("call", ["t1_4_0"]), ("result", "t1_4_0", "one\nthree")]


def test_a_further_result_joins_the_first() -> None:
    found = openai(USER, call("t1"), result("t1", "one"), USER, result("t1", "two"))
    assert found[1:] == [("call", ["t1"]), ("result", "t1", "one\ntwo"), ("user", "q")]


def test_parallel_results_stand_in_the_order_of_the_calls_in_one_turn_before_text() -> None:
    found = anthropic(USER, call("t1", "t2"), result("t2", "two"), USER, result("t1", "one"))
    assert found == [("user", ["q"]), ("assistant", ["?t1", "?t2"]), ("user", ["!t1 one", "!t2 two", "q"])]


IDS = [f"id-{number}" for number in range(300)]


def test_openai_gets_more_than_128_calls_in_several_messages_the_text_on_the_first() -> None:
    found = openai(USER, call(*IDS, text="so"), *(result(id, "R") for id in IDS))
    parts = [IDS[:44], IDS[44:172], IDS[172:]]
    assert found[1:] == [entry for ids in parts for entry in [("call", ids), *(("result", id, "R") for id in ids)]]
    texts = [entry["content"] for entry in to_openai(stored([call(*IDS, text="so")])) if "tool_calls" in entry]
    assert texts == ["so", "", ""]


def test_open_calls_stay_open_in_the_last_of_several_messages() -> None:
    found = openai(USER, call(*IDS), *(result(id, "R") for id in IDS[100:]))
    assert [entry for entry in found if entry[0] == "result"] == [("result", id, "R") for id in IDS[100:]]
    last = max(index for index, entry in enumerate(found) if entry[0] == "call")
    assert found[last] == ("call", IDS[-28:] + IDS[:100])


def test_of_more_open_calls_than_the_last_message_holds_the_first_are_unanswered() -> None:
    found = openai(USER, call(*IDS))
    assert [entry for entry in found if entry[0] == "result"] == [("result", id, NONE) for id in IDS[:172]]
    assert found[-1] == ("call", IDS[172:])


def test_a_faithful_view_keeps_all_calls_in_one_message() -> None:
    assert len(to_openai(stored([call(*IDS)]), faithful=True)[0]["tool_calls"]) == 300


def test_two_calls_with_one_id_are_two_calls() -> None:
    found = openai(USER, call("t1", "t1"), result("t1", "one"), result("t1", "two"))
    assert found[1:] == [("call", ["t1", "t1_2_1"]), ("result", "t1", "one"), ("result", "t1_2_1", "two")]


def test_a_call_that_nobody_answered_gets_a_result_that_says_so() -> None:
    assert openai(USER, call("t1"), USER)[2] == ("result", "t1", NONE)
    block = to_anthropic(stored([USER, call("t1"), USER]))[2]["content"][0]
    assert block == {"type": "tool_result", "tool_use_id": "t1", "content": NONE, "is_error": True}


def test_calls_at_the_end_stay_open_and_the_results_that_are_there_are_given() -> None:
    assert openai(USER, call("t1", "t2"), result("t2", "two"))[1:] == [("call", ["t1", "t2"]), ("result", "t2", "two")]
    assert anthropic(USER, call("t1", "t2"), result("t2", "two"))[2] == ("user", ["!t2 two"])
    assert anthropic(USER, call("t1", "t2"))[1:] == [("assistant", ["?t1", "?t2"])]


def test_what_a_view_does_not_show_does_not_end_the_waiting() -> None:
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


def test_a_name_without_text_is_none() -> None:
    assert to_openai(stored([AgentMessage("user", "q", name="")])) == [{"role": "user", "content": "q"}]


def test_a_tool_has_the_name_that_the_provider_takes() -> None:
    long = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "n" * 100, {}), ToolCall("t2", "", {})))
    openai_names = [call["function"]["name"] for call in to_openai(stored([USER, long]))[1]["tool_calls"]]
    anthropic_names = [block["name"] for block in to_anthropic(stored([USER, long]))[1]["content"]]
    assert len(openai_names[0]) == 64
    assert anthropic_names[0] == "n" * 100
    assert openai_names[1] == anthropic_names[1] == "unknown_tool"


def test_a_first_assistant_turn_gets_a_user_turn_before_it() -> None:
    assert anthropic(AgentMessage("assistant", "hi")) == [
        ("user", ["(The conversation begins here.)"]),
        ("assistant", ["hi"]),
    ]


def test_the_same_role_twice_is_one_turn() -> None:
    assistant = AgentMessage("assistant", "a")
    assert anthropic(USER, USER, assistant, assistant) == [("user", ["q", "q"]), ("assistant", ["a", "a"])]


def test_only_the_final_assistant_turn_loses_the_white_space_at_its_end() -> None:
    spaced = AgentMessage("assistant", " a \n")
    assert anthropic(USER, spaced, USER, spaced) == [
        ("user", ["q"]),
        ("assistant", [" a \n"]),
        ("user", ["q"]),
        ("assistant", [" a"]),
    ]
    assert anthropic(USER, spaced, AgentMessage("user", "q "))[-1] == ("user", ["q "])


def test_a_log_of_system_messages_is_an_empty_conversation() -> None:
    log = stored([AgentMessage("system", "s")])
    assert to_anthropic(log) == to_bedrock(log) == []
    assert to_openai(log) == to_langchain(log) == [{"role": "system", "content": "s"}]


def test_bedrock() -> None:
    log = stored([USER, call("t1", "t2", text="look"), result("t1", " "), USER])
    assert to_bedrock(log) == [
        {"role": "user", "content": [{"text": "q"}]},
        {
            "role": "assistant",
            "content": [
                {"text": "look"},
                {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}},
                {"toolUse": {"toolUseId": "t2", "name": "f", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "t1", "content": [{"text": "(no output)"}]}},
                {"toolResult": {"toolUseId": "t2", "content": [{"text": NONE}]}},
            ],
        },
        {"role": "assistant", "content": [{"text": "(Tool results received.)"}]},
        {"role": "user", "content": [{"text": "q"}]},
    ]


def test_bedrock_ends_in_no_white_space_either_since_claude_runs_there_too() -> None:
    assert to_bedrock(stored([USER, AgentMessage("assistant", "a \n")]))[-1]["content"] == [{"text": "a"}]


BROKEN = stored(
    [
        AgentMessage("system", "s"),
        AgentMessage("assistant", "a ", name="Ann Lee", tool_calls=(ToolCall("x.y", "f g", [1]),)),
        AgentMessage("reasoning", "hm"),
        AgentMessage("user", ""),
        result("other", "R"),
    ]
)


def test_faithful_openai() -> None:
    assert to_openai(BROKEN, faithful=True) == [
        {"role": "system", "content": "s"},
        {
            "role": "assistant",
            "content": "a ",
            "name": "Ann Lee",
            "tool_calls": [{"id": "x.y", "type": "function", "function": {"name": "f g", "arguments": "[1]"}}],
        },
        {"role": "user", "content": ""},
        {"role": "tool", "tool_call_id": "other", "content": "R"},
    ]


def test_faithful_anthropic() -> None:
    assert to_anthropic(BROKEN, faithful=True) == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "a "},
                {"type": "tool_use", "id": "x.y", "name": "f g", "input": {"args": [1]}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "other", "content": "R"}]},
    ]


@pytest.mark.parametrize("text", ["", "\n", "R"])
def test_a_faithful_view_keeps_a_blank_result(text: str) -> None:
    log = stored([AgentMessage("tool", text, tool_call_id="t1")])
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    assert to_anthropic(log, faithful=True) == [{"role": "user", "content": [result]}]
    block = {"toolResult": {"toolUseId": "t1", "content": [{"text": text}]}}
    assert to_bedrock(log, faithful=True) == [{"role": "user", "content": [block]}]


def test_faithful_langchain() -> None:
    assert to_langchain(BROKEN, faithful=True) == [
        {"role": "system", "content": "s"},
        {"role": "assistant", "content": "a "},
        {"role": "user", "content": ""},
    ]


def test_langchain_leaves_out_an_assistant_without_text_and_no_other() -> None:
    empty = [AgentMessage("user", ""), call("t1"), result("t1", "R"), AgentMessage("assistant", "")]
    assert to_langchain(stored(empty)) == [{"role": "user", "content": ""}]


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
