"""A streamed reply becomes the messages that are recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import AgentMessage, ToolCall, codec
from messagelog.chat.providers import ContentDelta, Event, Finish, ReasoningDelta, ToolCallDelta
from messagelog.chat.sending.answer import Answer

JSON_OBJECTS = st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=3)


def answer_of(*events: Event) -> Answer:
    answer = Answer()
    for event in events:
        answer.take(event)
    return answer


def calls_of(*events: Event) -> tuple[ToolCall, ...]:
    return answer_of(*events).messages()[-1].tool_calls


@given(st.text(), st.data())
def test_text_and_thinking_are_whole_wherever_they_are_cut(text: str, data: st.DataObject) -> None:
    """Also in the middle of a character: some servers send each half of a surrogate pair by itself."""
    escaped = "".join(chr(int.from_bytes(unit, "little")) for unit in _units(text))
    cut = data.draw(st.integers(0, len(escaped)))
    for kind, role in ((ContentDelta, "assistant"), (ReasoningDelta, "reasoning")):
        messages = answer_of(kind(escaped[:cut]), kind(escaped[cut:])).messages()
        assert [message.content for message in messages if message.role == role] in ([text], [] if not text else None)


def _units(text: str) -> list[bytes]:
    data = text.encode("utf-16-le")
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def test_half_a_character_is_replaced_so_that_the_answer_can_be_stored() -> None:
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


def test_only_an_answer_that_came_to_its_end_tells_why() -> None:
    assert answer_of(ContentDelta("half of it")).finish is None
    assert answer_of(ContentDelta("all"), Finish("stop")).finish == Finish("stop")


def test_thinking_alone_says_nothing() -> None:
    assert answer_of(ReasoningDelta("hm"), ContentDelta(""), Finish("length", is_cut=True)).says_nothing
    assert not answer_of(ContentDelta("so")).says_nothing
    assert not answer_of(ToolCallDelta(0, "a", "f", "")).says_nothing


def test_pieces_of_interleaved_calls_find_their_call() -> None:
    assert calls_of(
        ToolCallDelta(0, "a", "f", ""),
        ToolCallDelta(1, "b", "g", ""),
        ToolCallDelta(0, "", "", '{"x":'),
        ToolCallDelta(1, "", "", '{"y": 2'),
        ToolCallDelta(0, "", "", " 1}"),
        ToolCallDelta(1, "", "", "}"),
    ) == (ToolCall("a", "f", {"x": 1}), ToolCall("b", "g", {"y": 2}))


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    assert calls_of(ToolCallDelta(0, "a", "f", "{}"), ToolCallDelta(0, "b", "f", '{"y": 2}')) == (
        ToolCall("a", "f", {}),
        ToolCall("b", "f", {"y": 2}),
    )


def test_calls_that_share_an_index_and_have_no_ids_are_told_apart_by_their_names() -> None:
    assert calls_of(
        ToolCallDelta(0, "", "f", ""),
        ToolCallDelta(0, "", "", '{"x":'),
        ToolCallDelta(0, "", "", " 1}"),
        ToolCallDelta(0, "", "f", '{"y": 2}'),
        ToolCallDelta(0, "", "g", "{}"),
    ) == (ToolCall("", "f", {"x": 1}), ToolCall("", "f", {"y": 2}), ToolCall("", "g", {}))


def test_calls_without_arguments_that_share_an_index_and_have_no_ids_are_told_apart_by_their_names() -> None:
    assert calls_of(ToolCallDelta(0, "", "f", ""), ToolCallDelta(0, "", "g", "")) == (
        ToolCall("", "f", {}),
        ToolCall("", "g", {}),
    )


@given(st.lists(st.tuples(st.sampled_from("fg"), JSON_OBJECTS), min_size=1, max_size=4), st.data())
def test_a_name_in_every_piece_makes_no_further_call(calls: list[tuple[str, Any]], data: st.DataObject) -> None:
    """Nor do ids that are missing join two calls, wherever their arguments are cut."""
    pieces: list[ToolCallDelta] = []
    for name, args in calls:
        text = json.dumps(args)
        cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=3)))
        spans = zip([0, *cuts], [*cuts, len(text)], strict=True)
        pieces += [ToolCallDelta(0, "", name, text[start:end]) for start, end in spans]
    assert calls_of(*pieces) == tuple(ToolCall("", name, args) for name, args in calls)


def test_a_name_in_every_piece_of_a_call_with_an_id_makes_no_further_call() -> None:
    assert calls_of(ToolCallDelta(0, "a", "f", '{"x"'), ToolCallDelta(0, "", "f", ": 1}")) == (
        ToolCall("a", "f", {"x": 1}),
    )


def test_an_id_in_every_piece_makes_no_further_call() -> None:
    assert calls_of(ToolCallDelta(0, "a", "f", '{"x"'), ToolCallDelta(0, "a", "f", ": 1}")) == (
        ToolCall("a", "f", {"x": 1}),
    )


@pytest.mark.parametrize(
    ("arguments", "args"),
    [("", {}), ("{}", {}), ('{"a": 1.0}', {"a": 1.0}), ('{"a": ', '{"a": '), ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}')],
)
def test_arguments_are_the_value_or_the_text_itself(arguments: str, args: object) -> None:
    (call,) = calls_of(ToolCallDelta(0, "a", "f", arguments))
    assert json.dumps(call.args) == json.dumps(args)
    codec.parse(AgentMessage("assistant", "", tool_calls=(call,)))
