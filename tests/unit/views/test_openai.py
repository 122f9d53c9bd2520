"""The rules of the OpenAI and LangChain views by example."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import AgentMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai

from tests.providers.logs import stored
from tests.support.short_views import NONE, USER, call, openai, result

IDS = [f"id-{number}" for number in range(300)]


def test_over_128_calls_fill_several_messages() -> None:
    found = openai(USER, call(*IDS, text="so"), *(result(id, "R") for id in IDS))
    parts = [IDS[:44], IDS[44:172], IDS[172:]]
    assert found[1:] == [entry for ids in parts for entry in [("call", ids), *(("result", id, "R") for id in ids)]]
    texts = [entry["content"] for entry in to_openai(stored([call(*IDS, text="so")])) if "tool_calls" in entry]
    assert texts == ["so", "", ""]


def test_open_calls_stay_in_the_last_of_several_messages() -> None:
    found = openai(USER, call(*IDS), *(result(id, "R") for id in IDS[100:]))
    assert [entry for entry in found if entry[0] == "result"] == [("result", id, "R") for id in IDS[100:]]
    last = max(index for index, entry in enumerate(found) if entry[0] == "call")
    assert found[last] == ("call", IDS[-28:] + IDS[:100])


def test_open_calls_beyond_the_last_message_are_unanswered() -> None:
    found = openai(USER, call(*IDS))
    assert [entry for entry in found if entry[0] == "result"] == [("result", id, NONE) for id in IDS[:172]]
    assert found[-1] == ("call", IDS[172:])


def test_a_faithful_view_keeps_all_calls_in_one_message() -> None:
    assert len(to_openai(stored([call(*IDS)]), faithful=True)[0]["tool_calls"]) == 300


def test_an_empty_name_is_not_sent() -> None:
    assert to_openai(stored([AgentMessage("user", "q", name="")])) == [{"role": "user", "content": "q"}]


def test_a_tool_gets_a_name_that_the_provider_takes() -> None:
    long = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "n" * 100, {}), ToolCall("t2", "", {})))
    openai_names = [call["function"]["name"] for call in to_openai(stored([USER, long]))[1]["tool_calls"]]
    anthropic_names = [block["name"] for block in to_anthropic(stored([USER, long]))[1]["content"]]
    assert len(openai_names[0]) == 64
    assert anthropic_names[0] == "n" * 100
    assert openai_names[1] == anthropic_names[1] == "unknown_tool"


def test_langchain_leaves_out_an_empty_assistant_only() -> None:
    empty = [AgentMessage("user", ""), call("t1"), result("t1", "R"), AgentMessage("assistant", "")]
    assert to_langchain(stored(empty)) == [{"role": "user", "content": ""}]


@pytest.mark.parametrize(
    ("args", "arguments"),
    [
        ({"a": 1}, '{"a": 1}'),
        ('{"a":1}', '{"a":1}'),
        (None, "{}"),
        (" ", "{}"),
        ('{"path": "a.txt", "text": "once upon', r'{"args": "{\"path\": \"a.txt\", \"text\": \"once upon"}'),
        ([1], '{"args": [1]}'),
    ],
)
def test_arguments_are_the_text_of_an_object(args: Any, arguments: str) -> None:
    log = stored([USER, AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),))])
    assert to_openai(log)[1]["tool_calls"][0]["function"]["arguments"] == arguments


@pytest.mark.parametrize(("args", "arguments"), [("once upon", "once upon"), ([1], "[1]"), (None, "{}"), ({}, "{}")])
def test_faithful_arguments_are_the_args_themselves(args: Any, arguments: str) -> None:
    log = stored([AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),))])
    assert to_openai(log, faithful=True)[0]["tool_calls"][0]["function"]["arguments"] == arguments
