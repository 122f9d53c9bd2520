"""Faults that people reported about histories sent to OpenAI. Each test names its sources."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from messagelog import MessageLog
from messagelog.memory import MemoryStorage

UNANSWERED = "No result: this tool call was never answered."


def log_of(*messages: dict[str, Any]) -> MessageLog:
    log = MessageLog(MemoryStorage())
    log.append_many(messages)
    return log


def user(content: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


def assistant(content: str, *calls: tuple[str, str, Any]) -> dict[str, Any]:
    tool_calls = [{"id": id, "name": name, "args": args} for id, name, args in calls]
    return {"role": "assistant", "content": content, **({"toolCalls": tool_calls} if calls else {})}


def result(id: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "toolCallId": id, "content": content}


def function(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_empty_assistant_text_is_not_null() -> None:
    """github.com/vercel/ai/pull/13744, github.com/docker/docker-agent/issues/63,
    github.com/songquanpeng/one-api/issues/784. Empty text stays `""`, also beside calls.
    """
    log = log_of(user("a"), assistant(""), user("b"), assistant("", ("t1", "f", {})), result("t1", "ok"))
    assert log.to_openai() == [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "", "tool_calls": [function("t1", "f", "{}")]},
        {"role": "tool", "tool_call_id": "t1", "content": "ok"},
    ]


def test_arguments_are_encoded_once() -> None:
    """github.com/JetBrains/koog/issues/2095, github.com/tridz-dev/huf/pull/676,
    github.com/isair/jarvis/pull/560.
    """
    log = log_of(user("x"), assistant("", ("t1", "add", {"a": 3, "b": 'q"uote'})), result("t1", "ok"))
    arguments = log.to_openai()[1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"a": 3, "b": 'q"uote'}


def test_names_that_openai_refuses_are_cleaned_and_differ() -> None:
    """github.com/danny-avila/LibreChat/pull/1076, github.com/jekalmin/extended_openai_conversation/issues/251,
    github.com/microsoft/autogen/issues/4157. A cleaned name carries a digest, so that two speakers never become one.
    """
    names = ["Ann Lee", "Žofie", "", "bot-1", "n" * 80, "Ann_Lee", "Ann.Lee"]
    view = log_of(*(user(str(index), name=name) for index, name in enumerate(names))).to_openai()
    sent = [entry.get("name") for entry in view]
    assert [entry["content"] for entry in view] == [str(index) for index in range(len(names))]
    assert (sent[2], sent[3], sent[5]) == (None, "bot-1", "Ann_Lee")
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in sent if name is not None)
    assert len(set(sent)) == len(names)


def test_long_ids_are_shortened_and_differ() -> None:
    """github.com/pydantic/pydantic-ai/issues/4389, github.com/agno-agi/agno/issues/5382,
    github.com/vercel/ai/issues/5171.
    """
    first, second = "fc_" + "0" * 47 + "aa1", "fc_" + "0" * 47 + "aa2"
    calls = assistant("", (first, "f", {"n": 1}), (second, "f", {"n": 2}))
    log = log_of(user("x"), calls, result(second, "two"), result(first, "one"))
    view = log.to_openai()
    ids = [call["id"] for call in view[1]["tool_calls"]]
    assert ids[0] != ids[1]
    assert all(1 <= len(id) <= 40 for id in ids)
    assert view[2:] == [
        {"role": "tool", "tool_call_id": ids[0], "content": "one"},
        {"role": "tool", "tool_call_id": ids[1], "content": "two"},
    ]
    assert log.to_openai() == view


def test_a_call_left_unanswered_does_not_block_the_conversation() -> None:
    """github.com/xxynet/KiraAI/issues/118, github.com/charmbracelet/crush/issues/920. The call is kept and answered."""
    messages = [user("go"), assistant("", ("t1", "a", {}), ("t2", "b", {})), result("t1", "one"), user("stop, do this")]
    log = log_of(*messages)
    before = log.all()
    assert log.to_openai() == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "tool_calls": [function("t1", "a", "{}"), function("t2", "b", "{}")]},
        {"role": "tool", "tool_call_id": "t1", "content": "one"},
        {"role": "tool", "tool_call_id": "t2", "content": UNANSWERED},
        {"role": "user", "content": "stop, do this"},
    ]
    assert log.all() == before


def test_nothing_of_the_store_leaks_into_the_request() -> None:
    """github.com/SamSaffron/term-llm/pull/250, github.com/NousResearch/hermes-agent/issues/68257."""
    log = log_of({"role": "system", "content": "be brief"}, user("hi", origin="user"), assistant("hello"))
    view = log.to_openai()
    assert view == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
    ]
    assert log.to_openai() == view
    assert log.count() == 3


@pytest.mark.parametrize("view", ["to_openai", "to_anthropic", "to_langchain"])
def test_reasoning_is_not_sent(view: str) -> None:
    """github.com/adolfousier/opencrabs/issues/760."""
    thought = {"role": "reasoning", "content": "hidden plan", "origin": "model"}
    shown = getattr(log_of(user("q"), thought, assistant("answer")), view)()
    assert [entry["role"] for entry in shown] == ["user", "assistant"]
    assert "hidden plan" not in str(shown)
    assert all(entry.keys() == {"role", "content"} for entry in shown)
