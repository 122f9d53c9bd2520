"""Faults that people reported about thinking, files and other content that is more than text.

Each test names its source: an issue, or a provider's rule.
"""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import AgentMessage, MessageLog, codec
from messagelog.memory import MemoryStorage
from messagelog.readers import from_anthropic, from_bedrock, from_openai

MODEL = "claude-opus-5-5"
THINKING = {"type": "thinking", "thinking": "", "signature": "sig1"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
CALL = {"id": "toolu_1", "name": "f", "args": {}}
QUESTION = {"role": "user", "content": "q"}
ASKED = {"role": "user", "content": [{"type": "text", "text": "q"}]}
ANSWERED = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}]}
RESULT = {"role": "tool", "content": "r", "toolCallId": "toolu_1"}
PNG = "iVBORw=="


def original(api: str, *blocks: Any, model: str | None = MODEL) -> dict[str, Any]:
    return {"api": api, **({"model": model} if model else {}), "blocks": list(blocks)}


TURN = {"role": "assistant", "content": "", "toolCalls": [CALL], "original": original("anthropic", THINKING, USE)}


def log_of(*messages: dict[str, Any]) -> MessageLog:
    log = MessageLog(MemoryStorage())
    log.append_many(messages)
    return log


def forms(messages: list[AgentMessage]) -> list[dict[str, Any]]:
    """Returns the messages in the JSON form."""
    return [codec.to_json(codec.parse(message)) for message in messages]


def test_signed_thinking_comes_back_with_its_turn() -> None:
    """ "Preserving thinking blocks" (platform.claude.com/docs/en/build-with-claude/extended-thinking)."""
    thinking, text = {**THINKING, "thinking": "Two."}, {"type": "text", "text": "I look."}
    reply = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": [thinking, text, USE]}
    assert forms(from_anthropic(reply)) == [
        {"role": "reasoning", "content": "Two."},
        {
            "role": "assistant",
            "content": "I look.",
            "toolCalls": [CALL],
            "original": original("anthropic", thinking, text, USE),
        },
    ]


def test_text_and_calls_alone_need_no_original() -> None:
    """A model without reasoning costs no more storage than its text and calls."""
    reply = {"role": "assistant", "model": MODEL, "content": [{"type": "text", "text": "Hi"}, USE]}
    assert forms(from_anthropic(reply)) == [{"role": "assistant", "content": "Hi", "toolCalls": [CALL]}]


def test_thinking_that_broke_off_is_not_sent_back() -> None:
    """Anthropic refuses a thinking block that has none: "thinking.signature: Field required"."""
    broken = {"type": "thinking", "thinking": "Hal", "signature": ""}
    reply = {"role": "assistant", "model": "m", "content": [broken, {"type": "text", "text": "x"}]}
    assert forms(from_anthropic(reply)) == [
        {"role": "reasoning", "content": "Hal"},
        {"role": "assistant", "content": "x"},
    ]


def test_redacted_thinking_of_bedrock_is_base64() -> None:
    """`ReasoningContentBlock` (docs.aws.amazon.com/bedrock/latest/APIReference): `redactedContent` is a blob."""
    content = [{"reasoningContent": {"redactedContent": b"\x00\xff"}}, {"text": "x"}]
    kept = {"reasoningContent": {"redactedContent": "AP8="}}
    assert forms(from_bedrock({"role": "assistant", "content": content})) == [
        {"role": "assistant", "content": "x", "original": original("bedrock", kept, {"text": "x"}, model=None)}
    ]
    log = log_of(QUESTION, *forms(from_bedrock({"role": "assistant", "content": content})))
    assert log.to_bedrock()[1]["content"] == content


def test_reasoning_content_goes_back_beside_calls() -> None:
    """github.com/deepseek-ai/DeepSeek-V3/issues/1053, github.com/continuedev/continue/issues/10193."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": "", "reasoning_content": "Hm.", "tool_calls": [call]}
    found = forms(from_openai({"model": "deepseek-v4-pro", "choices": [{"message": message}]}))
    kept = {"reasoning_content": "Hm.", "tool_calls": [call]}
    assert found == [
        {"role": "reasoning", "content": "Hm."},
        {
            "role": "assistant",
            "content": "",
            "toolCalls": [{"id": "c", "name": "f", "args": {}}],
            "original": original("openai", kept, model="deepseek-v4-pro"),
        },
    ]
    assert log_of(QUESTION, *found).to_openai()[1] == message


def test_an_image_keeps_its_place_between_texts() -> None:
    """platform.openai.com/docs/guides/images-vision: the parts of a content are in order."""
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    content = [{"type": "text", "text": "A: "}, image, {"type": "text", "text": "?"}]
    assert forms(from_openai({"role": "user", "content": content})) == [
        {"role": "user", "content": "A: ?", "files": [{"mediaType": "image/png", "data": PNG, "offset": 3}]}
    ]


def test_an_image_of_a_result_is_kept() -> None:
    """`ToolResultBlockParam` of Anthropic's SDK: a result may hold images."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "shot"}, image]}
    assert forms(from_anthropic({"role": "user", "content": [result]})) == [
        {
            "role": "tool",
            "content": "shot",
            "toolCallId": "toolu_1",
            "files": [{"mediaType": "image/png", "data": PNG, "offset": 4}],
        }
    ]


def test_a_turn_goes_back_to_its_api_as_it_came() -> None:
    """github.com/anthropics/claude-code/issues/63548: "blocks in the latest assistant message cannot be modified"."""
    assert log_of(QUESTION, TURN, RESULT).to_anthropic() == [
        ASKED,
        {"role": "assistant", "content": [THINKING, USE]},
        ANSWERED,
    ]


def test_another_api_gets_text_and_calls() -> None:
    """Mistral answers 422 and Groq 400 to a field of another provider."""
    function = {"name": "f", "arguments": "{}"}
    assert log_of(QUESTION, TURN, RESULT).to_openai() == [
        QUESTION,
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "toolu_1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "toolu_1", "content": "r"},
    ]


@pytest.mark.parametrize("options", [{"model": "claude-haiku-5-5"}, {"reasoning": False}], ids=str)
def test_thinking_goes_to_its_own_model_only(options: Any) -> None:
    """Bedrock and Anthropic: a signature of another model is invalid."""
    assert log_of(QUESTION, TURN, RESULT).to_anthropic(**options) == [
        ASKED,
        {"role": "assistant", "content": [USE]},
        ANSWERED,
    ]


def test_all_thinking_goes_back_if_it_is_asked_for() -> None:
    """The result of the first turn came late, so the second turn followed another prefix."""
    second = {"type": "thinking", "thinking": "", "signature": "sig2"}, {"type": "text", "text": "a"}
    log = log_of(
        QUESTION,
        TURN,
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a", "original": original("anthropic", *second)},
        {**RESULT, "content": "late"},
        {"role": "user", "content": "v"},
    )
    late = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "late"}
    expected = [
        ASKED,
        {"role": "assistant", "content": [THINKING, USE]},
        {"role": "user", "content": [late, {"type": "text", "text": "u"}]},
        {"role": "assistant", "content": list(second)},
        {"role": "user", "content": [{"type": "text", "text": "v"}]},
    ]
    assert log.to_anthropic(reasoning=True) == expected
    expected[3] = {"role": "assistant", "content": [second[1]]}
    assert log.to_anthropic() == expected


def test_a_faithful_view_shows_the_turn_as_it_came() -> None:
    """A faithful view is for export and debugging: it repairs and drops nothing."""
    assert log_of(TURN).to_anthropic(faithful=True) == [{"role": "assistant", "content": [THINKING, USE]}]


def test_an_original_of_other_calls_does_not_go_back() -> None:
    """Anthropic: "unexpected tool_use_id found in tool_result blocks". The calls of a turn are those of the log."""
    other = {**TURN, "original": original("anthropic", THINKING, {**USE, "id": "toolu_9"})}
    assert log_of(QUESTION, other).to_anthropic() == [ASKED, {"role": "assistant", "content": [USE]}]
