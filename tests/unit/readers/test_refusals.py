"""Anything that a message cannot hold is refused with its path and without its content."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from messagelog import CodecError
from messagelog.readers import from_anthropic, from_bedrock, from_langchain, from_openai

IMAGE = {"type": "image_url", "image_url": {"url": "ftp://secret.example/a.png"}}
USER = {"role": "user", "content": "q"}
OPENAI_CALL = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLS = {
    "tool_calls": [OPENAI_CALL],
    "invalid_tool_calls": [{"id": "t1", "name": "f", "args": "{", "error": "cut short"}],
    "function_call": {"name": "f", "arguments": "{}"},
}


@pytest.mark.parametrize(
    ("read", "messages", "path"),
    [
        (from_openai, [USER, USER, USER, {"role": "user", "content": ["q", IMAGE]}], "[3].content[1].image_url.url"),
        (from_openai, {"role": "user", "content": [IMAGE]}, "content[0].image_url.url"),
        (
            from_openai,
            {"choices": [{"message": {"role": "user", "content": [IMAGE]}}]},
            "choices[0].message.content[0].image_url.url",
        ),
        (from_openai, {"choices": []}, "choices"),
        (from_openai, [{"role": "assistant", "content": None, "audio": {"id": "a"}}], "[0].audio"),
        (from_openai, [{"role": "assistant", "tool_calls": [{"id": "t", "type": "custom"}]}], "[0].tool_calls[0]"),
        (from_openai, [{"role": "robot", "content": "q"}], "[0].role"),
        (from_openai, [{"content": "q"}], "[0].role"),
        (from_openai, [{"role": "user", "content": 7}], "[0].content"),
        (from_openai, ["q"], "[0]"),
        (from_anthropic, [{"role": "user", "content": [{"type": "image", "source": {}}]}], "[0].content[0].source"),
        (
            from_anthropic,
            [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "document"}]}],
                }
            ],
            "[0].content[0].content[0].source",
        ),
        (from_anthropic, [{"role": "user", "content": [{"type": "server_tool_use"}]}], "[0].content[0]"),
        (from_anthropic, [{"role": "tool", "content": "q"}], "[0].role"),
        (
            from_bedrock,
            [{"role": "user", "content": [{"image": {"format": "bmp", "source": {"bytes": b"secret"}}}]}],
            "[0].content[0].image.format",
        ),
        (
            from_bedrock,
            [{"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b""}}}]}],
            "[0].content[0].image.source.bytes",
        ),
        (
            from_bedrock,
            [{"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"video": {}}]}}]}],
            "[0].content[0].toolResult.content[0].video.format",
        ),
        (
            from_bedrock,
            {"output": {"message": {"role": "user", "content": [{"document": {}}]}}},
            "output.message.content[0].document.source",
        ),
        (from_langchain, [HumanMessage([IMAGE])], "[0].content[0].image_url.url"),
        (from_langchain, [AIMessage([{"type": "text", "text": "a"}, IMAGE])], "[0].content[1].image_url.url"),
        (from_langchain, [("robot", "q")], "[0].role"),
        (from_langchain, [AIMessage("", additional_kwargs={"audio": {"id": "a"}})], "[0].additional_kwargs.audio"),
        (from_langchain, [{"role": "assistant", "content": "", "audio": {"id": "a"}}], "[0].audio"),
    ],
)
def test_a_part_that_no_message_holds_is_refused(read: Any, messages: Any, path: str) -> None:
    with pytest.raises(CodecError) as caught:
        read(messages)
    assert caught.value.path == path
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("read", "message", "path"),
    [
        *((read, {"role": "user"}, "content") for read in (from_openai, from_anthropic, from_bedrock, from_langchain)),
        *(
            (read, {"role": "assistant", "content": content, field: call}, field)
            for read in (from_anthropic, from_bedrock)
            for content in (None, [])
            for field, call in CALLS.items()
        ),
        (from_openai, {"role": "tool", "tool_call_id": "t1"}, "content"),
        (from_langchain, {"type": "human", "data": 5}, "data"),
        (from_langchain, {"type": "human", "data": {}}, "content"),
        (from_langchain, {"type": "ai", "content": "", "additional_kwargs": 5}, "additional_kwargs"),
        (from_langchain, {"type": "ai", "content": "", "tool_calls": [{"id": "t1", "args": {}}]}, "tool_calls[0].name"),
    ],
)
def test_a_message_without_its_content_is_refused(read: Any, message: Any, path: str) -> None:
    with pytest.raises(CodecError) as caught:
        read(message)
    assert caught.value.path == path


TOOL_USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
BEDROCK_USE = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}


@pytest.mark.parametrize(
    ("read", "message", "path"),
    [
        (from_anthropic, {"role": "user", "content": [{"type": "text", "text": "q"}, TOOL_USE]}, "content[1]"),
        (from_bedrock, {"role": "user", "content": [{"text": "q"}, BEDROCK_USE]}, "content[1]"),
        *(
            (read, {"role": role, "content": "q", field: call}, field)
            for read in (from_openai, from_langchain)
            for role in ("user", "system", "tool")
            for field, call in CALLS.items()
        ),
        *(
            (from_langchain, HumanMessage("q", additional_kwargs={f: CALLS[f]}), f"additional_kwargs.{f}")
            for f in CALLS
        ),
    ],
)
def test_a_call_of_another_role_is_refused(read: Any, message: Any, path: str) -> None:
    with pytest.raises(CodecError, match="assistant") as caught:
        read(message)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("block", "path"),
    [
        ({"text": "x", **BEDROCK_USE}, "content[0]"),
        (
            {"toolResult": {"toolUseId": "t1", "content": [{"text": "x", "json": {}}]}},
            "content[0].toolResult.content[0]",
        ),
    ],
    ids=["of a message", "of a result"],
)
def test_a_bedrock_block_with_two_members_is_refused(block: Any, path: str) -> None:
    with pytest.raises(CodecError, match="more than one") as caught:
        from_bedrock({"role": "user", "content": [block]})
    assert caught.value.path == path


def test_a_message_nested_too_deep_is_refused() -> None:
    deep: Any = "x"
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(CodecError):
        from_anthropic(
            [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": deep}]}]
        )
