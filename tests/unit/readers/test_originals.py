"""Any reply goes through reader, JSON, DynamoDB item and view, and comes back as the provider sent it.

Three things change: thinking without a signature and blank text are left out, and Chat Completions keeps its further
fields beside plain text and calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from anthropic.types import ContentBlock, Message, ParsedMessage
from anthropic.types.beta import BetaContentBlock, BetaMessage
from hypothesis import given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, CodecError, StoredMessage, codec
from messagelog.dynamodb.items import from_item, to_item
from messagelog.readers import from_anthropic, from_bedrock, from_openai
from messagelog.readers.reading import plain
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.openai import to_openai
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import ResponseFormatTextJSONSchemaConfig
from openai.types.responses.parsed_response import ParsedResponse, ParsedResponseFunctionToolCall

from tests.providers.logs import AT
from tests.support.sdk_types import arguments, converse_values, values_of

many = settings(max_examples=200, deadline=None)
USER = AgentMessage("user", "q")
EXTRAS = {
    "reasoning_content": st.text(max_size=3),
    "reasoning_details": st.just([{"type": "reasoning.encrypted", "data": "e=="}]),
    "thinking_blocks": st.just([{"type": "thinking", "thinking": "", "signature": "s"}]),
    "provider_specific_fields": st.just({"a": [1.0, None]}),
}


def turn_after(read: list[AgentMessage], view: Callable[[list[StoredMessage]], list[Any]]) -> Any:
    """Returns the model's turn as a view shows it, after the way through JSON and through DynamoDB."""
    parsed = [codec.parse(codec.to_json(codec.parse(message))) for message in [USER, *read, USER]]
    log = [from_item(to_item(message, AT), seq) for seq, message in enumerate(parsed, 1)]
    shown = view(log)
    return shown[1] if len(shown) > 1 and shown[1]["role"] == "assistant" else None


def named(blocks: list[Any]) -> list[Any]:
    """Gives the calls of the caller's tools legal ids and names, so that no view has to repair them."""
    for index, block in enumerate(blocks):
        if block.get("type") == "tool_use":
            block |= {"id": f"toolu_{index}", "name": "f"}
        if "toolUse" in block and "type" not in block["toolUse"]:
            block["toolUse"] |= {"toolUseId": f"tooluse_{index}", "name": "f"}
    return blocks


def goes_back(block: dict[str, Any]) -> bool:
    match block:
        case {"type": "thinking", "signature": signature}:
            return bool(signature)
        case {"reasoningContent": {"reasoningText": thought}}:
            return bool(thought.get("signature"))
        case {"cachePoint": _}:
            return False
        case {"type": "text", "text": text} | {"text": str(text)}:
            return bool(text.strip())
    return True


def expected(blocks: list[Any]) -> Any:
    kept = [block for block in blocks if goes_back(block)]
    return {"role": "assistant", "content": kept} if kept else None


@pytest.mark.parametrize(("message", "block"), [(Message, ContentBlock), (BetaMessage, BetaContentBlock)])
@given(data=st.data())
@many
def test_a_reply_of_anthropic_comes_back_equal(message: Any, block: Any, data: st.DataObject) -> None:
    blocks = named(data.draw(st.lists(values_of(block), max_size=4)))
    reply = {"type": "message", "role": "assistant", "model": "m", "content": blocks}
    read = from_anthropic(message.construct(**reply))
    assert read == from_anthropic(reply)
    assert turn_after(read, to_anthropic) == expected(blocks)


def is_of_a_reply(block: dict[str, Any]) -> bool:
    """Whether a model sends such a block. The others are parts of a request, or a model's own files."""
    return not {"image", "document", "video", "audio", "guardContent", "searchResult"} & block.keys()


@given(st.lists(converse_values("ContentBlock").filter(is_of_a_reply), max_size=4))
@many
def test_a_reply_of_bedrock_comes_back_equal(blocks: list[Any]) -> None:
    blocks = named(blocks)
    message = {"role": "assistant", "content": blocks}
    read = from_bedrock({"output": {"message": message}}, model="m")
    assert {m.original.model for m in read if m.original} <= {"m"}
    assert turn_after(read, to_bedrock) == expected(blocks)


@st.composite
def completions(draw: st.DrawFn) -> dict[str, Any]:
    message = draw(values_of(ChatCompletionMessage))
    for name in ("audio", "function_call", "tool_calls"):
        message.pop(name, None)
    message |= draw(st.fixed_dictionaries({}, optional=EXTRAS))
    calls = []
    for index in range(draw(st.integers(0, 2))):
        call = {"id": f"c{index}", "type": "function", "function": {"name": "f", "arguments": draw(arguments())}}
        if draw(st.booleans()):
            call["extra_content"] = {"google": {"thought_signature": "s=="}}
        calls.append(call)
    return message | ({"tool_calls": calls} if calls else {})


@given(completions())
@many
def test_a_reply_of_chat_completions_comes_back_equal(message: dict[str, Any]) -> None:
    completion = {"object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message}]}
    read = from_openai(ChatCompletion.construct(**completion))
    assert read == from_openai(completion)
    kept = [name for name in (*EXTRAS, "refusal") if message.get(name) is not None]
    text = (message.get("content") or "") + (message.get("refusal") or "")
    right = {"role": "assistant", "content": text} | {name: message[name] for name in kept}
    calls = message.get("tool_calls", [])
    has_original = kept or any("extra_content" in call for call in calls)
    shown = turn_after(read, to_openai)
    if calls and has_original:
        right["tool_calls"] = calls
    else:
        assert [call["id"] for call in shown.pop("tool_calls", [])] == [call["id"] for call in calls]
    assert shown == right
    assert (read[-1].original is not None) == bool(has_original)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        [{"type": "tool_use", "id": "t", "name": "f", "input": {}}, {"type": "text", "text": "a"}],
        [{"type": "text", "text": "a", "citations": []}],
        [{"type": "tool_use", "id": "t", "name": "f", "input": {}, "caller": {"type": "direct"}}],
        [{"type": "tool_use", "id": "t", "name": "f", "input": "{}"}],
    ],
    ids=["two texts", "text last", "further field", "field of a call", "input as text"],
)
def test_a_turn_that_text_and_calls_change_is_kept(content: Any) -> None:
    (found,) = from_anthropic({"role": "assistant", "content": content})
    assert found.original is not None
    assert found.original.blocks == content


@pytest.mark.parametrize("content", ["a", ["a"], [], None, [{"type": "text", "text": "a"}]], ids=str)
def test_plain_text_keeps_no_original(content: Any) -> None:
    assert from_anthropic({"role": "assistant", "content": content})[0].original is None


def test_the_callers_cache_marks_are_no_part_of_a_turn() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    blocks = [{"type": "text", "text": "a", **mark}]
    assert from_anthropic({"role": "assistant", "content": blocks}) == [AgentMessage("assistant", "a")]
    marked = [{"text": "a"}, {"cachePoint": {"type": "default"}}]
    assert from_bedrock({"role": "assistant", "content": marked}) == [AgentMessage("assistant", "a")]


def test_only_an_assistant_has_an_original() -> None:
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert from_anthropic({"role": "user", "content": texts}) == [AgentMessage("user", "ab")]
    assert from_bedrock({"role": "user", "content": [{"text": "a"}, {"text": "b"}]}) == [AgentMessage("user", "ab")]
    assert from_openai({"role": "user", "content": "a", "refusal": "b"}) == [AgentMessage("user", "a")]


def test_fields_that_the_sdk_does_not_send_are_left_out() -> None:
    """`__api_exclude__` in `anthropic.types.ParsedTextBlock` and in `openai.types.chat`: parsed values stay local."""
    blocks = [
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "text", "text": "{}", "parsed_output": {"a": 1}},
    ]
    reply = ParsedMessage.construct(role="assistant", content=blocks)
    (found,) = from_anthropic(reply)
    assert found.original is not None
    assert found.original.blocks == [blocks[0], {"type": "text", "text": "{}"}]
    function = {"name": "f", "arguments": "{}", "parsed_arguments": {}}
    call = {"id": "c", "index": 0, "type": "function", "function": function, "extra_content": {"a": 1}}
    (read,) = from_openai({"role": "assistant", "content": None, "tool_calls": [call]})
    assert read.original is not None
    assert read.original.blocks == [
        {
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                    "extra_content": {"a": 1},
                }
            ]
        }
    ]


def test_each_object_is_dumped_as_its_sdk_sends_it() -> None:
    """An object in another one has its own `__api_exclude__`, and a field may have another name in the API."""
    call = ParsedResponseFunctionToolCall.construct(name="f", arguments="{}", parsed_arguments={"a": 1})
    response = ParsedResponse.construct(output=[call])
    assert plain(response) == {"output": [{"name": "f", "arguments": "{}"}]}
    fields = {"type": "json_schema", "name": "n", "schema": {"a": 1}, "json": "an extra field"}
    config = ResponseFormatTextJSONSchemaConfig
    assert plain([config.construct(**fields), config.model_validate(fields)]) == [fields, fields]


def test_a_block_that_is_not_json_is_refused_with_its_path() -> None:
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {"a": float("nan")}}
    with pytest.raises(CodecError) as caught:
        from_anthropic([{"role": "assistant", "content": [{"type": "text", "text": "a"}, call]}])
    assert caught.value.path == "[0].content[1].input.a"
