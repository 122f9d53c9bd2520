"""Replies as the SDKs return them go into the log as they came."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types import Message
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)
from messagelog import AgentMessage, ToolCall
from messagelog.readers import from_anthropic, from_bedrock, from_langchain, from_openai
from openai.types.chat import ChatCompletion

from tests.unit.readers.traced import Traced

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

# What ChatOpenAI makes of the Responses API has each call in `content` and in `tool_calls`.
FUNCTION_CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "t1",
    "name": "weather",
    "arguments": '{"city":"Oslo"}',
    "status": "completed",
}
SAYS = {"type": "text", "text": "Let me look.", "annotations": [], "id": "msg_1"}
CHUNK = {"type": "tool_call_chunk", "id": "t1", "name": "weather", "args": '{"city":"Oslo"}', "index": 0}
RESPONSES = {
    "function_call and calls": AIMessage([SAYS, FUNCTION_CALL], tool_calls=[LANGCHAIN_CALL]),
    "function_call alone": AIMessage([SAYS, FUNCTION_CALL]),
    "tool_call_chunk and calls": AIMessageChunk([SAYS, CHUNK], tool_call_chunks=[CHUNK]),
}


@pytest.mark.parametrize(
    "reply",
    [
        OPENAI_REPLY,
        OPENAI_REPLY.choices[0],
        OPENAI_REPLY.choices[0].message,
        OPENAI_REPLY.model_dump(),
        Traced(OPENAI_REPLY),
        [Traced(OPENAI_REPLY.choices[0].message)],
        [OPENAI_REPLY.choices[0].message],
        iter([OPENAI_REPLY.choices[0].message]),
        {**dict(OPENAI_REPLY.choices[0].message), "audio": None},
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [{"id": "t1", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}],
        },
    ],
    ids=[
        "completion",
        "choice",
        "message",
        "dict",
        "traced",
        "list of traced",
        "list",
        "iterator",
        "shallow dict",
        "arguments as a value",
    ],
)
def test_openai(reply: Any) -> None:
    assert from_openai(reply) == [ASKS]


@pytest.mark.parametrize(
    "reply",
    [
        ANTHROPIC_REPLY,
        ANTHROPIC_REPLY.to_dict(),
        Traced(ANTHROPIC_REPLY),
        {"role": "assistant", "content": ANTHROPIC_REPLY.content},
    ],
    ids=["message", "dict", "traced", "turn with blocks"],
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
        Traced(AIMessage("Let me look.", tool_calls=[LANGCHAIN_CALL])),
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
        *RESPONSES.values(),
    ],
    ids=["message", "traced", "chunk", "stored dict", "role and content", "blocks and calls", "blocks", *RESPONSES],
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


OPENAI_FUNCTION = {"name": "weather", "arguments": '{"city": "Oslo"}'}
OPENAI_CALL = {"id": "t1", "type": "function", "function": OPENAI_FUNCTION}
BY_NAME = (ToolCall("weather", "weather", {"city": "Oslo"}),)
BY_ID = (ToolCall("t1", "weather", {"city": "Oslo"}),)


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        (AIMessage("", additional_kwargs={"function_call": OPENAI_FUNCTION}), BY_NAME),
        ({"role": "assistant", "content": "", "function_call": OPENAI_FUNCTION}, BY_NAME),
        ({"type": "ai", "data": {"content": "", "additional_kwargs": {"tool_calls": [OPENAI_CALL]}}}, BY_ID),
        (AIMessage("", additional_kwargs={"tool_calls": [OPENAI_CALL]}), BY_ID),
        (
            AIMessage("", tool_calls=[LANGCHAIN_CALL], additional_kwargs={"function_call": OPENAI_FUNCTION}),
            BY_ID,
        ),
    ],
    ids=["function call", "of a dict", "stored", "listed besides", "function call besides"],
)
def test_langchain_calls_in_openais_form_come_once(reply: Any, calls: tuple[ToolCall, ...]) -> None:
    result = FunctionMessage("R", name="weather")
    assert from_langchain([reply, result]) == [
        AgentMessage("assistant", "", tool_calls=calls),
        AgentMessage("tool", "R", name="weather", tool_call_id="weather"),
    ]


def test_langchain_replies_of_the_responses_api() -> None:
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": text} for text in ("One.", "Two.")],
        "encrypted_content": "opaque",
    }
    broken = {"id": "t1", "name": None, "args": '{"city":', "error": "cut short"}
    assert from_langchain(
        [
            AIMessage([reasoning, FUNCTION_CALL], tool_calls=[LANGCHAIN_CALL]),
            AIMessage([{**reasoning, "summary": []}, {"type": "refusal", "refusal": "I can't."}]),
            AIMessage("", additional_kwargs={"refusal": "I won't.", "reasoning": reasoning}),
            AIMessage([{**FUNCTION_CALL, "arguments": '{"city":'}], invalid_tool_calls=[broken]),
        ]
    ) == [
        AgentMessage("reasoning", "One."),
        AgentMessage("reasoning", "Two."),
        AgentMessage("assistant", "", tool_calls=ASKS.tool_calls),
        AgentMessage("assistant", "I can't."),
        AgentMessage("reasoning", "One."),
        AgentMessage("reasoning", "Two."),
        AgentMessage("assistant", "I won't."),
        AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "", '{"city":'),)),
    ]


@pytest.mark.parametrize(
    ("reasoning", "thoughts"),
    [
        ("Weather, then.", ["Weather, then."]),
        ({"summary": "Weather, then."}, ["Weather, then."]),
        ({"summary": [{"type": "summary_text"}, {"text": "One."}, {"text": 2}, None, "Three."]}, ["One.", "Three."]),
        *(({"effort": "low", "summary": setting}, []) for setting in ("auto", "concise", "detailed", None)),
        ({"effort": "low"}, []),
        ([{"text": "One."}], ["One."]),
        (True, []),
    ],
)
def test_langchain_reasoning_is_what_is_text_of_it(reasoning: Any, thoughts: list[str]) -> None:
    """Beside an answer: the settings of a request are no thoughts, and no shape of them keeps the answer out."""
    assert from_langchain(AIMessage("so", additional_kwargs={"reasoning": reasoning})) == [
        *(AgentMessage("reasoning", thought) for thought in thoughts),
        AgentMessage("assistant", "so"),
    ]
