"""The rules of the Anthropic and Bedrock views by example: turns of blocks that alternate."""

from __future__ import annotations

from messagelog import AgentMessage
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai

from tests.providers.logs import stored
from tests.support.short_views import NONE, USER, anthropic, bedrock, call, result


def test_a_first_assistant_turn_gets_a_user_turn_before_it() -> None:
    assert anthropic(AgentMessage("assistant", "hi")) == [
        ("user", ["(The conversation begins here.)"]),
        ("assistant", ["hi"]),
    ]


def test_the_same_role_twice_is_one_turn() -> None:
    assistant = AgentMessage("assistant", "a")
    assert anthropic(USER, USER, assistant, assistant) == [("user", ["q", "q"]), ("assistant", ["a", "a"])]


def test_only_the_final_assistant_turn_is_stripped_at_its_end() -> None:
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


def test_bedrock_gets_its_own_blocks() -> None:
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


def test_a_final_turn_of_bedrock_is_stripped_at_its_end() -> None:
    assert to_bedrock(stored([USER, AgentMessage("assistant", "a \n")]))[-1]["content"] == [{"text": "a"}]


RECEIVED = ("assistant", ["(Tool results received.)"])


def test_results_stand_alone_in_a_turn_of_bedrock() -> None:
    found = bedrock(USER, call("t1"), result("t1", "R"), USER, USER)
    assert found[2:] == [("user", ["!t1 R"]), RECEIVED, ("user", ["q", "q"])]


def test_results_at_the_end_of_bedrock_need_no_turn_after_them() -> None:
    assert bedrock(USER, call("t1"), result("t1", "R"))[2:] == [("user", ["!t1 R"])]
    assert bedrock(USER, call("t1"), result("t1", "R"), AgentMessage("user", " "))[2:] == [("user", ["!t1 R"])]


def test_an_assistant_after_results_is_enough_for_bedrock() -> None:
    found = bedrock(USER, call("t1"), result("t1", "R"), AgentMessage("assistant", "a"), USER)
    assert found[2:] == [("user", ["!t1 R"]), ("assistant", ["a"]), ("user", ["q"])]


def test_a_late_result_of_bedrock_stands_alone_too() -> None:
    assert bedrock(USER, call("t1"), USER, result("t1", "R"))[2:] == [("user", ["!t1 R"]), RECEIVED, ("user", ["q"])]


def test_a_longer_log_adds_the_turn_between_and_changes_none() -> None:
    log = stored([USER, call("t1"), result("t1", "R"), USER])
    assert to_bedrock(log)[:3] == to_bedrock(log[:3])
