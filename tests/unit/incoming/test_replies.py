"""Replies as the SDKs return them go into the log as they came."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types import Message
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)
from messagelog import AgentMessage, CodecError, ToolCall
from messagelog.incoming import from_anthropic, from_bedrock, from_langchain, from_openai
from openai.types.chat import ChatCompletion

ASKS = AgentMessage("assistant", "Let me look.", tool_calls=(ToolCall("t1", "weather", {"city": "Oslo"}),))

OPENAI_REPLY = ChatCompletion.model_validate(
    {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "logprobs": None,
                "message": {
                    "role": "assistant",
                    "content": "Let me look.",
                    "refusal": None,
                    "tool_calls": [
                        {
                            "id": "t1",
                            "type": "function",
                            "function": {"name": "weather", "arguments": '{"city":"Oslo"}'},
                        }
                    ],
                },
            }
        ],
    }
)
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
LANGCHAIN_CALL = {"id": "t1", "name": "weather", "args": {"city": "Oslo"}}
THOUGHT = AgentMessage("reasoning", "Weather, then.")


@pytest.mark.parametrize(
    "reply",
    [
        OPENAI_REPLY,
        OPENAI_REPLY.choices[0],
        OPENAI_REPLY.choices[0].message,
        OPENAI_REPLY.model_dump(),
        [OPENAI_REPLY.choices[0].message],
        iter([OPENAI_REPLY.choices[0].message]),
        {**dict(OPENAI_REPLY.choices[0].message), "audio": None},
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [{"id": "t1", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}],
        },
    ],
    ids=["completion", "choice", "message", "dict", "list", "iterator", "shallow dict", "arguments as a value"],
)
def test_openai(reply: Any) -> None:
    assert from_openai(reply) == [ASKS]


@pytest.mark.parametrize(
    "reply",
    [ANTHROPIC_REPLY, ANTHROPIC_REPLY.to_dict(), {"role": "assistant", "content": ANTHROPIC_REPLY.content}],
    ids=["message", "dict", "turn with blocks"],
)
def test_anthropic(reply: Any) -> None:
    assert from_anthropic(reply) == [THOUGHT, ASKS]


@pytest.mark.parametrize(
    "reply",
    [BEDROCK_REPLY, BEDROCK_REPLY["output"], BEDROCK_REPLY["output"]["message"]],  # type: ignore[index]
    ids=["response", "output", "message"],
)
def test_bedrock(reply: Any) -> None:
    assert from_bedrock(reply) == [THOUGHT, ASKS]


@pytest.mark.parametrize(
    "reply",
    [
        AIMessage("Let me look.", tool_calls=[LANGCHAIN_CALL]),
        AIMessageChunk("Let me look.", tool_calls=[LANGCHAIN_CALL]),
        messages_to_dict([AIMessage("Let me look.", tool_calls=[LANGCHAIN_CALL])]),
        {"role": "assistant", "content": "Let me look.", "tool_calls": [LANGCHAIN_CALL]},
        AIMessage(
            [{"type": "text", "text": "Let me "}, "look.", {"type": "tool_use", "input": {}, **LANGCHAIN_CALL}],
            tool_calls=[LANGCHAIN_CALL],
        ),
        AIMessage(
            [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}},
            ]
        ),
    ],
    ids=["message", "chunk", "stored dict", "role and content", "blocks and calls", "blocks"],
)
def test_langchain(reply: Any) -> None:
    assert from_langchain(reply) == [ASKS]


def test_openai_history() -> None:
    assert from_openai(
        [
            {"role": "developer", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "name": "ann"},
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": ""}},
            {"role": "function", "name": "f", "content": "R"},
            {"role": "assistant", "content": None, "refusal": "I can't."},
            {"role": "assistant", "content": "so", "reasoning_content": "hm", "reasoning": "hm"},
        ]
    ) == [
        AgentMessage("system", "be brief"),
        AgentMessage("user", "ab", name="ann"),
        AgentMessage("assistant", "", tool_calls=(ToolCall("f", "f", {}),)),
        AgentMessage("tool", "R", name="f", tool_call_id="f"),
        AgentMessage("assistant", "I can't."),
        AgentMessage("reasoning", "hm"),
        AgentMessage("assistant", "so"),
    ]


def test_anthropic_history() -> None:
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


def test_bedrock_history() -> None:
    content = [{"text": "a"}, {"json": {"ä": 1.0}}]
    results = [{"toolResult": {"toolUseId": "t1", "content": content, "status": "error"}}]
    assert from_bedrock({"role": "user", "content": [*results, {"cachePoint": {"type": "default"}}]}) == [
        AgentMessage("tool", 'a{"ä": 1.0}', tool_call_id="t1")
    ]


def test_langchain_history() -> None:
    broken = {"id": "t2", "name": "f", "args": '{"a": ', "error": "cut short"}
    assert from_langchain(
        [
            SystemMessage("s"),
            ("human", "{name}"),
            "hello",
            HumanMessage("q", name="ann"),
            AIMessage("", invalid_tool_calls=[broken], additional_kwargs={"reasoning_content": "hm"}),
            ToolMessage("R", tool_call_id="t2", name="f", status="error"),
            AIMessage([{"type": "reasoning", "reasoning": "so"}, {"type": "text", "text": "end"}]),
            AIMessage([{"type": "reasoning_content", "reasoning_content": {"text": "then"}}, "done"]),
        ]
    ) == [
        AgentMessage("system", "s"),
        AgentMessage("user", "{name}"),
        AgentMessage("user", "hello"),
        AgentMessage("user", "q", name="ann"),
        AgentMessage("reasoning", "hm"),
        AgentMessage("assistant", "", tool_calls=(ToolCall("t2", "f", '{"a": '),)),
        AgentMessage("tool", "R", name="f", tool_call_id="t2"),
        AgentMessage("reasoning", "so"),
        AgentMessage("assistant", "end"),
        AgentMessage("reasoning", "then"),
        AgentMessage("assistant", "done"),
    ]


IMAGE = {"type": "image_url", "image_url": {"url": "data:secret"}}
USER = {"role": "user", "content": "q"}


@pytest.mark.parametrize(
    ("read", "messages", "path"),
    [
        (from_openai, [USER, USER, USER, {"role": "user", "content": ["q", IMAGE]}], "[3].content[1]"),
        (from_openai, {"role": "user", "content": [IMAGE]}, "content[0]"),
        (
            from_openai,
            {"choices": [{"message": {"role": "user", "content": [IMAGE]}}]},
            "choices[0].message.content[0]",
        ),
        (from_openai, {"choices": []}, "choices"),
        (from_openai, [{"role": "assistant", "content": None, "audio": {"id": "a"}}], "[0].audio"),
        (from_openai, [{"role": "assistant", "tool_calls": [{"id": "t", "type": "custom"}]}], "[0].tool_calls[0]"),
        (from_openai, [{"role": "robot", "content": "q"}], "[0].role"),
        (from_openai, [{"content": "q"}], "[0].role"),
        (from_openai, [{"role": "user", "content": 7}], "[0].content"),
        (from_openai, ["q"], "[0]"),
        (from_anthropic, [{"role": "user", "content": [{"type": "image", "source": {}}]}], "[0].content[0]"),
        (
            from_anthropic,
            [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "document"}]}],
                }
            ],
            "[0].content[0].content[0]",
        ),
        (from_anthropic, [{"role": "assistant", "content": [{"type": "server_tool_use"}]}], "[0].content[0]"),
        (from_anthropic, [{"role": "tool", "content": "q"}], "[0].role"),
        (from_bedrock, [{"role": "user", "content": [{"image": {"source": {"bytes": b"x"}}}]}], "[0].content[0]"),
        (
            from_bedrock,
            [{"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"video": {}}]}}]}],
            "[0].content[0].toolResult.content[0]",
        ),
        (
            from_bedrock,
            {"output": {"message": {"role": "user", "content": [{"document": {}}]}}},
            "output.message.content[0]",
        ),
        (from_langchain, [HumanMessage([IMAGE])], "[0].content[0]"),
        (from_langchain, [AIMessage([{"type": "text", "text": "a"}, IMAGE])], "[0].content[1]"),
        (from_langchain, [("robot", "q")], "[0].role"),
    ],
)
def test_what_text_cannot_hold_is_refused_with_its_path(read: Any, messages: Any, path: str) -> None:
    with pytest.raises(CodecError) as caught:
        read(messages)
    assert caught.value.path == path
    assert "secret" not in str(caught.value)


def test_what_is_nested_too_deep_is_refused() -> None:
    deep: Any = "x"
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(CodecError):
        from_anthropic(
            [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": deep}]}]
        )
