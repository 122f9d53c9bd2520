"""A streamed reply becomes the messages that are recorded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import ProviderError, ToolCall, codec
from messagelog.chat.providers import ContentDelta, Event, Finish, ReasoningDelta, ToolCallDelta
from messagelog.chat.sending.answer import Answer


def answer_of(*events: Event) -> Answer:
    answer = Answer()
    for event in events:
        answer.take(event)
    return answer


@given(st.text(), st.data())
def test_text_and_thinking_are_whole_wherever_they_are_cut(text: str, data: st.DataObject) -> None:
    """The cut may be in the middle of a character: some servers send each half of a surrogate pair alone."""
    escaped = "".join(chr(int.from_bytes(unit, "little")) for unit in _units(text))
    cut = data.draw(st.integers(0, len(escaped)))
    for kind, role in ((ContentDelta, "assistant"), (ReasoningDelta, "reasoning")):
        messages = answer_of(kind(escaped[:cut]), kind(escaped[cut:])).messages()
        assert [message.content for message in messages if message.role == role] in ([text], [] if not text else None)


def _units(text: str) -> list[bytes]:
    data = text.encode("utf-16-le")
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def test_half_a_character_is_replaced() -> None:
    (message,) = answer_of(ContentDelta("a\ud83d")).messages()
    assert message.content == "a\N{REPLACEMENT CHARACTER}"
    codec.parse(message)


def test_thinking_comes_first_and_both_are_the_models() -> None:
    messages = answer_of(ContentDelta("so"), ReasoningDelta("hm"), Finish("stop")).messages()
    assert [(message.role, message.content, message.origin) for message in messages] == [
        ("reasoning", "hm", "model"),
        ("assistant", "so", "model"),
    ]
    assert all(message.created_at for message in messages)


def test_an_empty_answer_is_an_answer() -> None:
    assert [message.role for message in answer_of(Finish("stop")).messages()] == ["assistant"]


def test_only_a_whole_answer_has_a_finish() -> None:
    assert answer_of(ContentDelta("half of it")).finish is None
    assert answer_of(ContentDelta("all"), Finish("stop")).finish == Finish("stop")


def test_thinking_alone_says_nothing() -> None:
    assert answer_of(ReasoningDelta("hm"), ContentDelta(""), Finish("length", is_cut=True)).says_nothing
    assert not answer_of(ContentDelta("so")).says_nothing
    assert not answer_of(ToolCallDelta(0, "a", "f", "")).says_nothing


def test_an_end_that_says_cut_is_kept() -> None:
    cut = Finish("length", is_cut=True)
    assert answer_of(cut, Finish("stop")).finish == cut
    assert answer_of(Finish("stop"), cut).finish == cut


def test_the_calls_are_in_the_assistants_message() -> None:
    pieces = [ToolCallDelta(0, "a", "f", '{"x"'), ContentDelta("so"), ToolCallDelta(0, "", "", ": 1}")]
    (message,) = answer_of(*pieces, Finish("tool_calls")).messages()
    assert (message.content, message.tool_calls) == ("so", (ToolCall("a", "f", {"x": 1}),))


def test_a_call_without_a_name_is_an_error_of_the_provider() -> None:
    nameless = ToolCallDelta(0, "a", "", '{"secret": 1}')
    with pytest.raises(ProviderError, match="without a name") as caught:
        answer_of(nameless, Finish("tool_calls")).messages()
    assert "secret" not in str(caught.value)


def test_a_cut_reply_drops_a_call_without_a_name() -> None:
    answer = answer_of(ContentDelta("so"), ToolCallDelta(0, "a", "", "{"), Finish("length", is_cut=True))
    assert [message.tool_calls for message in answer.messages()] == [()]
