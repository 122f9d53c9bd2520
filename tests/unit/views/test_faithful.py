"""A faithful view shows each message as it is, without repairs."""

from __future__ import annotations

import pytest
from messagelog import AgentMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai

from tests.providers.logs import stored
from tests.support.short_views import result

BROKEN = stored(
    [
        AgentMessage("system", "s"),
        AgentMessage("assistant", "a ", name="Ann Lee", tool_calls=(ToolCall("x.y", "f g", [1]),)),
        AgentMessage("reasoning", "hm"),
        AgentMessage("user", ""),
        result("other", "R"),
    ]
)


def test_faithful_openai_shows_each_message_as_it_is() -> None:
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


def test_faithful_anthropic_shows_each_message_as_it_is() -> None:
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


def test_faithful_langchain_is_the_same_view() -> None:
    assert to_langchain(BROKEN, faithful=True) == [
        {"role": "system", "content": "s"},
        {"role": "assistant", "content": "a "},
        {"role": "user", "content": ""},
    ]
