"""The blocks that LangChain's integrations leave in a message, beside plain text and calls."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from messagelog import AgentMessage, CodecError, ToolCall
from messagelog.readers import from_langchain

CACHE_POINTS = [{"cachePoint": {"type": "default"}}, {"type": "cachePoint", "cachePoint": {"type": "default"}}]


@pytest.mark.parametrize("mark", CACHE_POINTS, ids=["as sent", "as traced"])
@pytest.mark.parametrize(
    ("message", "role"),
    [(HumanMessage, "user"), (AIMessage, "assistant"), (lambda c: ToolMessage(c, tool_call_id="t1"), "tool")],
    ids=["user", "assistant", "tool"],
)
def test_a_cache_mark_is_left_out(mark: dict[str, Any], message: Any, role: str) -> None:
    """github.com/langchain-ai/langchain/pull/31825."""
    (found,) = from_langchain(message([{"type": "text", "text": "q"}, mark]))
    assert (found.role, found.content) == (role, "q")


@pytest.mark.parametrize(
    "block",
    [{"text": "q"}, {"type": "text-plain", "text": "q", "mime_type": "text/plain", "title": "t"}],
    ids=["without a type", "plain text"],
)
@pytest.mark.parametrize(("message", "role"), [(HumanMessage, "user"), (AIMessage, "assistant")])
def test_text_is_kept_in_every_form(block: dict[str, Any], message: Any, role: Any) -> None:
    """langchain_core.messages.content, and block_translators.bedrock_converse for a text without a type."""
    assert from_langchain(message([block, "!"])) == [AgentMessage(role, "q!")]


def test_a_block_with_an_index_only_is_left_out() -> None:
    """github.com/langchain-ai/langchain/pull/36725: a stream leaves it."""
    assert from_langchain(AIMessage([{"index": 0}, "a"])) == [AgentMessage("assistant", "a")]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "reasoning_content", "reasoning_content": {"signature": "s"}},
        {"type": "reasoning_content", "reasoning_content": {"redacted_content": "AAEC"}},
        {"type": "reasoning", "extras": {"signature": "s"}},
        {"type": "thinking", "signature": "s"},
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "reasoning_content"},
    ],
)
def test_reasoning_without_a_text_is_left_out(block: dict[str, Any]) -> None:
    """langchain_core.messages.block_translators.bedrock_converse."""
    assert from_langchain(AIMessage([block, "a"])) == [AgentMessage("assistant", "a")]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "reasoning_content", "reasoning_content": {"text": "hm", "signature": "s"}},
        {"type": "reasoning_content", "reasoning_content": "hm"},
        {"type": "thinking", "thinking": [{"type": "text", "text": "h"}, {"type": "text", "text": "m"}]},
    ],
    ids=["bedrock", "text", "mistral"],
)
def test_the_text_of_reasoning_becomes_a_message(block: dict[str, Any]) -> None:
    assert from_langchain(AIMessage([block, "a"])) == [AgentMessage("reasoning", "hm"), AgentMessage("assistant", "a")]


USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
PIECES = [
    {"type": "input_json_delta", "partial_json": '{"a"', "index": 1},
    {"type": "input_json_delta", "input": ": 1}"},
]
CALL = {"id": "t1", "name": "f", "args": {"a": 1}}


def test_pieces_of_a_listed_call_are_left_out() -> None:
    """github.com/langchain-ai/langchainjs/issues/9798."""
    found = from_langchain(AIMessage(["a", USE, *PIECES], tool_calls=[CALL]))
    assert found == [AgentMessage("assistant", "a", tool_calls=(ToolCall("t1", "f", {"a": 1}),))]


def test_pieces_of_an_unlisted_call_are_not_lost_silently() -> None:
    with pytest.raises(CodecError, match="sum of all chunks") as caught:
        from_langchain({"role": "assistant", "content": [USE, *PIECES]})
    assert caught.value.path == "content[1]"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "server_tool_call", "id": "s1", "name": "web_search", "args": {}},
        {"type": "server_tool_result", "tool_call_id": "s1", "status": "success"},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
    ],
    ids=lambda block: block["type"],
)
def test_a_tool_of_the_server_is_not_for_the_caller(block: dict[str, Any]) -> None:
    """langchain_core.messages.content.ServerToolCall: the text beside it is kept."""
    assert from_langchain(AIMessage(["I look. ", block, "4."])) == [AgentMessage("assistant", "I look. 4.")]


@pytest.mark.parametrize("fields", [{}, {"content": None}, {"content": []}])
def test_an_assistant_may_say_nothing(fields: dict[str, Any]) -> None:
    assert from_langchain({"role": "assistant", **fields}) == [AgentMessage("assistant", "")]
