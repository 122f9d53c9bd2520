"""Messages and replies of Amazon Bedrock's Converse API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from messagelog import AgentMessage, File, Original, ToolCall
from messagelog.readers import from_bedrock

ASKS = AgentMessage("assistant", "Let me look.", tool_calls=(ToolCall("t1", "weather", {"city": "Oslo"}),))

THOUGHT = AgentMessage("reasoning", "Weather, then.")

BEDROCK_REPLY = {
    "ResponseMetadata": {"HTTPStatusCode": 200},
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Weather, then.", "signature": "s"}}},
                {"reasoningContent": {"redactedContent": b"opaque"}},
                {"text": "Let me look."},
                {"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"city": "Oslo"}}},
            ],
        }
    },
    "stopReason": "tool_use",
}


@pytest.mark.parametrize(
    "reply",
    [BEDROCK_REPLY, BEDROCK_REPLY["output"], BEDROCK_REPLY["output"]["message"]],  # type: ignore[index]
    ids=["response", "output", "message"],
)
def test_a_reply_is_read_in_every_form(reply: Any) -> None:
    blocks: list[Any] = [
        {"reasoningContent": {"reasoningText": {"text": "Weather, then.", "signature": "s"}}},
        {"reasoningContent": {"redactedContent": "b3BhcXVl"}},
        {"text": "Let me look."},
        {"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"city": "Oslo"}}},
    ]
    assert from_bedrock(reply, model="m") == [THOUGHT, replace(ASKS, original=Original("bedrock", blocks, "m"))]


def test_a_history_is_read() -> None:
    content = [{"text": "a"}, {"json": {"ä": 1.0}}]
    results = [{"toolResult": {"toolUseId": "t1", "content": content, "status": "error"}}]
    assert from_bedrock({"role": "user", "content": [*results, {"cachePoint": {"type": "default"}}]}) == [
        AgentMessage("tool", 'a{"ä": 1.0}', tool_call_id="t1")
    ]


TEXTS = [
    {"text": "4 degrees"},
    {"citationsContent": {"content": [{"text": "4 "}, {"text": "degrees"}], "citations": [{"title": "Yr"}]}},
    {"guardContent": {"text": {"text": "4 degrees", "qualifiers": ["query"]}}},
    {"searchResult": {"source": "https://yr.no", "title": "Yr", "content": [{"text": "4 degrees"}]}},
]
every_text = pytest.mark.parametrize("block", TEXTS, ids=lambda block: next(iter(block)))


@every_text
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_the_text_of_a_block_is_kept(role: Any, block: dict[str, Any]) -> None:
    """docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html."""
    content: list[Any] = [{"text": "It is "}, block, {"text": "."}]
    original = Original("bedrock", content) if role == "assistant" else None
    found = from_bedrock({"role": role, "content": content})
    assert found == [AgentMessage(role, "It is 4 degrees.", original=original)]


@pytest.mark.parametrize(
    "document",
    [
        {"name": "a", "format": "txt", "source": {"text": "4 degrees"}},
        {"name": "a", "source": {"content": [{"text": "4 "}, {"text": "degrees"}]}},
    ],
    ids=["text", "parts"],
)
def test_a_document_that_is_text_becomes_a_file(document: dict[str, Any]) -> None:
    content = [{"text": "See "}, {"document": document}, {"text": "."}]
    file = File("text/plain", b"4 degrees", name="a", offset=4)
    assert from_bedrock({"role": "user", "content": content}) == [AgentMessage("user", "See .", files=(file,))]
    result = {"toolResult": {"toolUseId": "t1", "content": content}}
    assert from_bedrock({"role": "user", "content": [result]}) == [
        AgentMessage("tool", "See .", tool_call_id="t1", files=(file,))
    ]


@every_text
def test_the_text_of_a_block_of_a_result_is_kept(block: dict[str, Any]) -> None:
    result = {"toolResult": {"toolUseId": "t1", "content": [block, {"json": {"a": 1}}]}}
    found = from_bedrock({"role": "user", "content": [result]})
    assert found == [AgentMessage("tool", '4 degrees{"a": 1}', tool_call_id="t1")]


GROUNDING: list[Any] = [
    {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
    {"toolResult": {"toolUseId": "s1", "content": [{"text": "x"}], "type": "nova_grounding_result"}},
]


def test_a_tool_of_the_server_is_not_for_the_caller() -> None:
    """docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html: `type`."""
    own = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}
    content = [{"text": "I look. "}, *GROUNDING, {"text": "4."}, own]
    (found,) = from_bedrock({"role": "assistant", "content": content})
    assert (found.content, found.tool_calls) == ("I look. 4.", (ToolCall("t1", "f", {}),))
    assert found.original == Original("bedrock", content)


def test_a_turn_of_server_tools_alone_is_kept() -> None:
    found = from_bedrock({"role": "assistant", "content": GROUNDING})
    assert found == [AgentMessage("assistant", "", original=Original("bedrock", GROUNDING))]


@pytest.mark.parametrize("fields", [{}, {"content": None}, {"content": []}])
def test_an_assistant_may_say_nothing(fields: dict[str, Any]) -> None:
    assert from_bedrock({"role": "assistant", **fields}) == [AgentMessage("assistant", "")]


def test_a_system_message_may_stand_in_the_history() -> None:
    assert from_bedrock({"role": "system", "content": [{"text": "Be brief."}]}) == [AgentMessage("system", "Be brief.")]
