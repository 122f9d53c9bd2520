"""Turns and replies of Anthropic's Messages API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from anthropic.types import Message
from messagelog import AgentMessage, Original, ToolCall
from messagelog.readers import from_anthropic

from tests.support.traced import Traced

ASKS = AgentMessage("assistant", "Let me look.", tool_calls=(ToolCall("t1", "weather", {"city": "Oslo"}),))

THOUGHT = AgentMessage("reasoning", "Weather, then.")

ANTHROPIC_REPLY = Message.model_validate(
    {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [
            {"type": "thinking", "thinking": "Weather, then.", "signature": "s"},
            {"type": "redacted_thinking", "data": "opaque"},
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}},
        ],
    }
)


BLOCKS: list[Any] = ANTHROPIC_REPLY.to_dict()["content"]  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("reply", "model"),
    [
        (ANTHROPIC_REPLY, "m"),
        (ANTHROPIC_REPLY.to_dict(), "m"),
        (Traced(ANTHROPIC_REPLY), "m"),
        ({"role": "assistant", "content": ANTHROPIC_REPLY.content}, None),
    ],
    ids=["message", "dict", "traced", "turn with blocks"],
)
def test_a_reply_is_read_in_every_form(reply: Any, model: str | None) -> None:
    assert from_anthropic(reply) == [THOUGHT, replace(ASKS, original=Original("anthropic", BLOCKS, model))]


def test_a_history_is_read() -> None:
    results = [
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": t} for t in "ab"]},
        {"type": "tool_result", "tool_use_id": "t2", "content": "c", "is_error": True},
        {"type": "tool_result", "tool_use_id": "t3"},
        {"type": "text", "text": "and", "cache_control": {"type": "ephemeral"}},
    ]
    assert from_anthropic([{"role": "user", "content": results}, {"role": "assistant", "content": []}]) == [
        AgentMessage("tool", "ab", tool_call_id="t1"),
        AgentMessage("tool", "c", tool_call_id="t2"),
        AgentMessage("tool", "", tool_call_id="t3"),
        AgentMessage("user", "and"),
        AgentMessage("assistant", ""),
    ]


SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Oslo"}}


@pytest.mark.parametrize(
    "result",
    [
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "bash_code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": {}},
        {"type": "mcp_tool_result", "tool_use_id": "srvtoolu_1", "content": [], "is_error": False},
    ],
    ids=lambda result: result["type"],
)
def test_a_tool_of_the_server_is_not_for_the_caller(result: dict[str, Any]) -> None:
    """platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool: the text beside it is kept."""
    content = [{"type": "text", "text": "I look. "}, SEARCH, result, {"type": "text", "text": "4 degrees."}]
    found = from_anthropic({"role": "assistant", "content": content})
    assert found == [AgentMessage("assistant", "I look. 4 degrees.", original=Original("anthropic", content))]


def test_a_turn_of_server_tools_alone_is_kept() -> None:
    found = from_anthropic({"role": "assistant", "content": [SEARCH], "model": "m"})
    assert found == [AgentMessage("assistant", "", original=Original("anthropic", [SEARCH], "m"))]


@pytest.mark.parametrize("fields", [{}, {"content": None}, {"content": []}])
def test_an_assistant_may_say_nothing(fields: dict[str, Any]) -> None:
    assert from_anthropic({"role": "assistant", **fields}) == [AgentMessage("assistant", "")]
