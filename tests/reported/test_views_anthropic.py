"""Faults that people reported about histories sent to Anthropic. Each test names its sources."""

from __future__ import annotations

import re
from typing import Any

from messagelog.views.anthropic import to_anthropic
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import window

from tests.reported.test_views_openai import UNANSWERED, assistant, function, log_of, result, user


def said(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}


def use(id: str, name: str, args: Any = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": args or {}}


def answer(id: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def test_parallel_results_are_one_user_turn() -> None:
    """github.com/zavora-ai/adk-rust/pull/279, github.com/agentjido/req_llm/pull/250,
    github.com/cloudwego/eino-ext/pull/872.
    """
    cities = {"t1": "Oslo", "t2": "Rome", "t3": "Bonn"}
    calls = [(id, "w", {"c": city}) for id, city in cities.items()]
    results = [result("t1", "1C"), result("t2", "20C"), result("t3", "9C")]
    log = log_of(user("weather?"), assistant("checking", *calls), *results, assistant("all done"))
    assert log.to_anthropic() == [
        said("user", "weather?"),
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "checking"}, *(use(id, "w", {"c": c}) for id, c in cities.items())],
        },
        {"role": "user", "content": [answer("t1", "1C"), answer("t2", "20C"), answer("t3", "9C")]},
        said("assistant", "all done"),
    ]


def test_a_message_sent_while_the_tool_ran_follows_the_results() -> None:
    """github.com/NousResearch/hermes-agent/pull/65369, github.com/pydantic/pydantic-ai/pull/2328,
    github.com/diegosouzapw/OmniRoute/issues/12890.
    """
    calls = assistant("", ("t1", "f", {}), ("t2", "g", {}))
    log = log_of(user("q"), calls, result("t1", "R1"), user("wait"), result("t2", "R2"), assistant("ok"))
    wait = {"type": "text", "text": "wait"}
    assert log.to_anthropic() == [
        said("user", "q"),
        {"role": "assistant", "content": [use("t1", "f"), use("t2", "g")]},
        {"role": "user", "content": [answer("t1", "R1"), answer("t2", "R2"), wait]},
        said("assistant", "ok"),
    ]
    assert log.to_openai() == [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", "tool_calls": [function("t1", "f", "{}"), function("t2", "g", "{}")]},
        {"role": "tool", "tool_call_id": "t1", "content": "R1"},
        {"role": "tool", "tool_call_id": "t2", "content": "R2"},
        {"role": "user", "content": "wait"},
        {"role": "assistant", "content": "ok"},
    ]


def test_a_call_without_text_has_no_empty_text_block() -> None:
    """github.com/anthropics/anthropic-sdk-python/issues/461, github.com/run-llama/llama_index/pull/17278,
    github.com/lidge-jun/opencodex/issues/620.
    """
    log = log_of(user("q"), assistant("", ("t1", "f", {"a": 1})), result("t1", "R"), assistant("end"))
    assert log.to_anthropic() == [
        said("user", "q"),
        {"role": "assistant", "content": [use("t1", "f", {"a": 1})]},
        {"role": "user", "content": [answer("t1", "R")]},
        said("assistant", "end"),
    ]


def test_blank_messages_are_left_out_and_their_neighbours_joined() -> None:
    """github.com/anthropics/claude-code/issues/23440, github.com/cecli-dev/cecli/issues/102."""
    calls = [user("q"), assistant(" \n\t", ("t1", "f", {})), result("t1", "R")]
    log = log_of(*calls, user("  "), assistant("fine"), user("\n"), user("go"))
    assert log.to_anthropic() == [
        said("user", "q"),
        {"role": "assistant", "content": [use("t1", "f")]},
        {"role": "user", "content": [answer("t1", "R")]},
        said("assistant", "fine"),
        said("user", "go"),
    ]


def test_ids_of_other_providers_are_cleaned_and_differ() -> None:
    """github.com/maximhq/bifrost/issues/5097, github.com/HKUDS/nanobot/pull/4356,
    github.com/AnswerDotAI/fastllm/issues/42.
    """
    ids = ["functions.f:0", "functions_f_0", "call|9/ä"]
    calls = assistant("", *((id, "f", {"n": n}) for n, id in enumerate(ids, 1)))
    answers = [result(ids[1], "two"), result(ids[2], "three"), result(ids[0], "one")]
    log = log_of(user("q"), calls, *answers)
    view = log.to_anthropic()
    found = [block["id"] for block in view[1]["content"]]
    assert found[1] == "functions_f_0"
    assert len(set(found)) == 3
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", id) for id in found)
    assert view[2]["content"] == [answer(id, text) for id, text in zip(found, ["one", "two", "three"], strict=True)]
    log.append(user("more"))
    assert log.to_anthropic()[1] == view[1]


def test_empty_ids_pair_in_order() -> None:
    """github.com/ducks/claux/issues/40, github.com/QwenLM/qwen-code/issues/8160.

    The log stores them, the view repairs.
    """
    calls = assistant("", ("", "f", {"n": 1}), ("", "f", {"n": 2}))
    _, turn, results = log_of(user("q"), calls, result("", "one"), result("", "two")).to_anthropic()
    ids = [block["id"] for block in turn["content"]]
    assert ids[0] != ids[1]
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", id) for id in ids)
    assert results["content"] == [answer(ids[0], "one"), answer(ids[1], "two")]


def test_args_that_are_not_an_object_go_under_one_key() -> None:
    """github.com/bigduu/Bamboo-agent/issues/351, github.com/anthropics/claude-code/issues/6695."""
    values = [[1, 2], "abc", 7, {"ok": True}]
    calls = [(f"t{index}", "f", value) for index, value in enumerate(values)]
    log = log_of(user("q"), assistant("", *calls), *(result(id, "R") for id, _, _ in calls))
    inputs = [block["input"] for block in log.to_anthropic()[1]["content"]]
    assert inputs == [{"args": [1, 2]}, {"args": "abc"}, {"args": 7}, {"ok": True}]
    assert [call.args for call in log.all()[1].tool_calls] == values


def test_a_window_does_not_start_with_half_an_exchange() -> None:
    """github.com/anthropics/claude-code/issues/18947, github.com/langchain-ai/langchain/pull/33268."""
    log = log_of(user("find"), assistant("", ("t1", "f", {})), result("t1", "R"), assistant("done"), user("thanks"))
    assert to_anthropic(window(log.newest_first(), WindowLimits(last=3))) == [said("user", "thanks")]


def test_one_of_two_parallel_results_never_came() -> None:
    """github.com/OpenHands/OpenHands/issues/7512, github.com/anthropics/claude-code/issues/5989."""
    log = log_of(user("go"), assistant("both", ("t1", "a", {}), ("t2", "b", {})), result("t1", "one"), user("stop"))
    assert log.to_anthropic() == [
        said("user", "go"),
        {"role": "assistant", "content": [{"type": "text", "text": "both"}, use("t1", "a"), use("t2", "b")]},
        {
            "role": "user",
            "content": [
                answer("t1", "one"),
                {**answer("t2", UNANSWERED), "is_error": True},
                {"type": "text", "text": "stop"},
            ],
        },
    ]


def test_a_tool_without_output_has_a_result() -> None:
    """github.com/anomalyco/opencode/issues/15371, github.com/zed-industries/zed/pull/27130,
    github.com/langroid/langroid/issues/1063. The result has no content, as in the tool-use guide.
    """
    log = log_of(user("write it"), assistant("", ("t1", "write", {})), result("t1", ""), assistant("written"))
    assert log.to_anthropic() == [
        said("user", "write it"),
        {"role": "assistant", "content": [use("t1", "write")]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]},
        said("assistant", "written"),
    ]


def test_results_find_their_calls_by_id() -> None:
    """github.com/gptme/gptme/pull/3847. They stand in the order of the calls."""
    calls = assistant("", ("t1", "slow", {}), ("t2", "fast", {}))
    log = log_of(user("q"), calls, result("t2", "FAST"), result("t1", "SLOW"), assistant("ok"))
    assert log.to_anthropic()[2] == {"role": "user", "content": [answer("t1", "SLOW"), answer("t2", "FAST")]}
