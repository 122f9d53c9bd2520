"""Messages and replies of OpenAI's Chat Completions, and of servers that are compatible with it."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, Original, ToolCall
from messagelog.readers import from_openai
from openai.types.chat import ChatCompletion

from tests.support.traced import Traced

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
def test_a_reply_is_read_in_every_form(reply: Any) -> None:
    assert from_openai(reply) == [ASKS]


def test_a_history_is_read() -> None:
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
        AgentMessage("assistant", "I can't.", original=Original("openai", [{"refusal": "I can't."}])),
        AgentMessage("reasoning", "hm"),
        AgentMessage("assistant", "so", original=Original("openai", [{"reasoning_content": "hm"}])),
    ]


MAGISTRAL = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Two and "}, {"type": "text", "text": "two."}]},
        {"type": "text", "text": "Four"},
        {"type": "reference", "reference_ids": [1]},
        {"type": "text", "text": "."},
    ],
}


@pytest.mark.parametrize(
    "reply",
    [MAGISTRAL, ChatCompletion.model_construct(choices=[{"index": 0, "message": MAGISTRAL}])],
    ids=["message", "completion"],
)
def test_a_content_list_of_mistral_holds_thinking_and_text(reply: Any) -> None:
    """docs.mistral.ai/capabilities/reasoning: the thinking of Magistral is a part of the content."""
    assert from_openai(reply) == [AgentMessage("reasoning", "Two and two."), AgentMessage("assistant", "Four.")]


@pytest.mark.parametrize("thinking", ["Hm.", [{"type": "text", "text": "Hm."}, {"type": "reference"}, None]])
def test_thinking_of_any_shape_does_not_lose_the_answer(thinking: Any) -> None:
    content = [{"type": "thinking", "thinking": thinking}, {"type": "text", "text": "So."}]
    found = from_openai({"role": "assistant", "content": content})
    assert found == [AgentMessage("reasoning", "Hm."), AgentMessage("assistant", "So.")]


def test_only_an_assistant_thinks() -> None:
    with pytest.raises(CodecError) as caught:
        from_openai({"role": "user", "content": [{"type": "thinking", "thinking": "Hm."}]})
    assert caught.value.path == "content[0]"


@pytest.mark.parametrize("fields", [{}, {"content": None}, {"content": []}, {"content": ""}])
def test_an_assistant_may_say_nothing(fields: dict[str, Any]) -> None:
    assert from_openai({"role": "assistant", **fields}) == [AgentMessage("assistant", "")]


@pytest.mark.parametrize("content", [{}, {"content": None}], ids=["missing", "null"])
def test_content_may_be_missing_beside_calls(content: dict[str, Any]) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    found = from_openai({"role": "assistant", "tool_calls": [call], **content})
    assert found == [AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", {}),))]


def test_a_function_may_return_null() -> None:
    message = {"role": "function", "name": "f", "content": None}
    assert from_openai(message) == [AgentMessage("tool", "", name="f", tool_call_id="f")]
