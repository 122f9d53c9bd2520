"""LangChain's messages: objects, dicts, and the forms in which integrations keep calls and thinking."""

from __future__ import annotations

from typing import Any

import pytest
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
from messagelog.readers import from_langchain

from tests.support.traced import Traced

ASKS = AgentMessage("assistant", "Let me look.", tool_calls=(ToolCall("t1", "weather", {"city": "Oslo"}),))

LANGCHAIN_CALL = {"id": "t1", "name": "weather", "args": {"city": "Oslo"}}

# ChatOpenAI with the Responses API keeps each call in `content` and in `tool_calls`.
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
def test_a_reply_is_read_in_every_form(reply: Any) -> None:
    assert from_langchain(reply) == [ASKS]


def test_a_history_is_read() -> None:
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
def test_calls_in_the_form_of_openai_come_once(reply: Any, calls: tuple[ToolCall, ...]) -> None:
    result = FunctionMessage("R", name="weather")
    assert from_langchain([reply, result]) == [
        AgentMessage("assistant", "", tool_calls=calls),
        AgentMessage("tool", "R", name="weather", tool_call_id="weather"),
    ]


def test_replies_of_the_responses_api_are_read() -> None:
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
def test_only_the_text_of_reasoning_is_kept(reasoning: Any, thoughts: list[str]) -> None:
    """The settings of a request are not thoughts, and no shape of reasoning loses the answer beside it."""
    assert from_langchain(AIMessage("so", additional_kwargs={"reasoning": reasoning})) == [
        *(AgentMessage("reasoning", thought) for thought in thoughts),
        AgentMessage("assistant", "so"),
    ]
