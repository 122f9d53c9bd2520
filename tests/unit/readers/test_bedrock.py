"""Messages and replies of Amazon Bedrock's Converse API."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import AgentMessage, ToolCall
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
    assert from_bedrock(reply) == [THOUGHT, ASKS]


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
    {"document": {"name": "a", "format": "txt", "source": {"text": "4 degrees"}}},
    {"document": {"name": "a", "source": {"content": [{"text": "4 "}, {"text": "degrees"}]}}},
]
every_text = pytest.mark.parametrize("block", TEXTS, ids=lambda block: next(iter(block)))


@every_text
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_the_text_of_a_block_is_kept(role: Any, block: dict[str, Any]) -> None:
    """docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html."""
    content = [{"text": "It is "}, block, {"text": "."}]
    assert from_bedrock({"role": role, "content": content}) == [AgentMessage(role, "It is 4 degrees.")]


@every_text
def test_the_text_of_a_block_of_a_result_is_kept(block: dict[str, Any]) -> None:
    result = {"toolResult": {"toolUseId": "t1", "content": [block, {"json": {"a": 1}}]}}
    found = from_bedrock({"role": "user", "content": [result]})
    assert found == [AgentMessage("tool", '4 degrees{"a": 1}', tool_call_id="t1")]


GROUNDING = [
    {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
    {"toolResult": {"toolUseId": "s1", "content": [{"text": "x"}], "type": "nova_grounding_result"}},
]


def test_a_tool_of_the_server_is_not_for_the_caller() -> None:
    """docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html: `type`."""
    own = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}
    found = from_bedrock({"role": "assistant", "content": [{"text": "I look. "}, *GROUNDING, {"text": "4."}, own]})
    assert found == [AgentMessage("assistant", "I look. 4.", tool_calls=(ToolCall("t1", "f", {}),))]


@pytest.mark.parametrize("fields", [{}, {"content": None}, {"content": []}, {"content": GROUNDING}])
def test_an_assistant_may_say_nothing(fields: dict[str, Any]) -> None:
    assert from_bedrock({"role": "assistant", **fields}) == [AgentMessage("assistant", "")]


def test_a_system_message_may_stand_in_the_history() -> None:
    assert from_bedrock({"role": "system", "content": [{"text": "Be brief."}]}) == [AgentMessage("system", "Be brief.")]
