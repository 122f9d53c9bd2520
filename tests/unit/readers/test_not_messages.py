"""A reader that gets something that is not a message says what to give it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest
from anthropic.types import RawContentBlockStartEvent, RawMessageStartEvent
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from messagelog import AgentMessage, CodecError, MessageLog
from messagelog.memory import MemoryStorage
from messagelog.readers import from_anthropic, from_bedrock, from_langchain, from_openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.support.traced import Traced

every_reader = pytest.mark.parametrize("read", [from_openai, from_anthropic, from_bedrock, from_langchain])


async def _stream() -> AsyncIterator[str]:
    yield "a"


@every_reader
@pytest.mark.parametrize(
    "given",
    [MagicMock(), Traced(MagicMock()), ChatCompletion, AIMessage, [MagicMock()], object(), None, 5, _stream()],
    ids=type,
)
def test_an_object_that_is_not_a_message_is_refused(read: Any, given: Any) -> None:
    with pytest.raises(CodecError, match=r"must be an object such as .*a reply of the SDK, or a list of these"):
        read(given)


@pytest.mark.parametrize("read", [from_openai, from_anthropic, from_bedrock])
@pytest.mark.parametrize("given", [("user", "hello"), ["hello"], "hello"], ids=["pair", "texts", "text"])
def test_a_text_is_not_a_message(read: Any, given: Any) -> None:
    with pytest.raises(CodecError, match=r'such as \{"role": "user", "content": "…"\}.*not text'):
        read(given)


def test_one_pair_of_langchain_goes_into_a_list() -> None:
    with pytest.raises(CodecError, match=r'\[\("human", "…"\)\]'):
        from_langchain(("human", "hello"))
    assert from_langchain([("human", "hello")]) == [AgentMessage("user", "hello")]
    assert from_langchain(["hello", "there"]) == [AgentMessage("user", "hello"), AgentMessage("user", "there")]


OPENAI_CHUNK = ChatCompletionChunk.model_validate(
    {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [{"index": 0, "delta": {}}]}
)
ANTHROPIC_EVENTS = [
    RawMessageStartEvent.model_construct(type="message_start", message={}),
    RawContentBlockStartEvent.model_construct(type="content_block_start", index=0, content_block={}),
]


class EventStream:
    """A stream of boto3, which is not an iterator itself."""

    def __iter__(self) -> Iterator[Any]:
        yield {"messageStart": {"role": "assistant"}}


@pytest.mark.parametrize(
    ("read", "stream", "path", "way_out"),
    [
        (from_openai, iter([OPENAI_CHUNK]), "[0]", "get_final_completion"),
        (from_openai, OPENAI_CHUNK, "", "get_final_completion"),
        (from_anthropic, iter(ANTHROPIC_EVENTS), "[0]", "get_final_message"),
        (from_anthropic, ANTHROPIC_EVENTS[1], "", "get_final_message"),
        (from_bedrock, {"ResponseMetadata": {}, "stream": EventStream()}, "", "converse"),
        (from_bedrock, iter(EventStream()), "[0]", "converse"),
        (from_langchain, iter([AIMessageChunk("It is"), AIMessageChunk(" noon.")]), "[1]", "chunk + chunk"),
    ],
)
def test_a_stream_is_not_a_message(read: Any, stream: Any, path: str, way_out: str) -> None:
    with pytest.raises(CodecError, match="streamed reply") as caught:
        read(stream)
    assert caught.value.path == path
    assert way_out in str(caught.value)


def test_the_sum_of_the_chunks_is_a_message() -> None:
    chunks = AIMessageChunk("It is") + AIMessageChunk(" noon.")
    assert from_langchain([HumanMessage("q"), chunks])[1:] == [AgentMessage("assistant", "It is noon.")]


def test_a_reply_of_the_responses_api_is_named() -> None:
    with pytest.raises(CodecError, match="Responses API") as caught:
        from_openai([{"role": "user", "content": "q"}, {"id": "resp_1", "object": "response", "output": []}])
    assert caught.value.path == "[1]"


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (HumanMessage("q"), ""),
        (Traced(HumanMessage("q")), ""),
        ({"role": "assistant", "content": "", "tool_calls": []}, "tool_calls"),
    ],
    ids=type,
)
def test_a_log_names_the_reader_for_a_foreign_message(message: Any, path: str) -> None:
    with pytest.raises(CodecError, match="from_openai") as caught:
        MessageLog(MemoryStorage()).append(message)
    assert caught.value.path == path


@pytest.mark.parametrize(
    "given", [[], [{"role": "user", "content": "q"}], ("user", "q")], ids=["empty", "list", "tuple"]
)
def test_append_refuses_a_list_and_names_append_many(given: Any) -> None:
    log = MessageLog(MemoryStorage())
    with pytest.raises(CodecError, match="append_many"):
        log.append(given)
    assert log.count() == 0
