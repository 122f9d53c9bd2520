"""The pieces of streamed tool calls become the calls again, whatever way an endpoint cuts them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, ToolCall, codec
from messagelog.chat.providers import ToolCallDelta
from messagelog.chat.sending import streamed_calls
from messagelog.chat.sending.streamed_calls import StreamedCalls
from messagelog.strictjson import loads

from tests.support.dialects import CALLS, OBSERVED, Dialect, Named


def calls_of(*pieces: ToolCallDelta) -> tuple[ToolCall, ...]:
    calls = StreamedCalls()
    for piece in pieces:
        calls.add(piece)
    assert not calls.lack_a_name
    return calls.tool_calls()


@pytest.mark.parametrize("dialect", OBSERVED.values(), ids=OBSERVED.keys())
@given(CALLS, st.data())
@settings(max_examples=50)
def test_any_cut_of_any_calls_gives_the_calls_back(dialect: Dialect, calls: list[Named], data: st.DataObject) -> None:
    given_back = calls_of(*dialect.pieces(data.draw, calls))
    assert [(call.name, call.args) for call in given_back] == calls
    assert len({call.id for call in given_back if call.id}) in (0, len(calls))


def test_ids_that_change_in_mid_call_make_one_call() -> None:
    pieces = ['{"q', 'uery": ', '"x"', "}"]
    deltas = [ToolCallDelta(0, id, "" if at else "lookup", pieces[at]) for at, id in enumerate("abcd")]
    assert calls_of(*deltas) == (ToolCall("a", "lookup", {"query": "x"}),)


def test_a_piece_of_an_unknown_index_goes_to_the_last_call() -> None:
    pieces = [ToolCallDelta(0, "a", "f", "{}"), ToolCallDelta(1, "b", "g", '{"x"'), ToolCallDelta(7, "", "", ": 1}")]
    assert calls_of(*pieces) == (ToolCall("a", "f", {}), ToolCall("b", "g", {"x": 1}))


def test_pieces_before_the_name_belong_to_the_call_of_it() -> None:
    pieces = [ToolCallDelta(0, "a", "", ""), ToolCallDelta(0, "", "", '{"x"'), ToolCallDelta(0, "", "f", ": 1}")]
    assert calls_of(*pieces) == (ToolCall("a", "f", {"x": 1}),)


def test_pieces_to_which_no_name_comes_make_no_call() -> None:
    calls = StreamedCalls()
    calls.add(ToolCallDelta(0, "a", "", "{}"))
    assert calls.lack_a_name
    assert (bool(calls), calls.tool_calls()) == (False, ())


def test_one_index_with_other_ids_and_names_makes_other_calls() -> None:
    """Also if the calls have no arguments."""
    assert calls_of(ToolCallDelta(0, "a", "f", ""), ToolCallDelta(0, "b", "g", "")) == (
        ToolCall("a", "f", {}),
        ToolCall("b", "g", {}),
    )


def test_another_name_after_broken_arguments_makes_another_call() -> None:
    assert calls_of(ToolCallDelta(0, "", "f", '{"x"'), ToolCallDelta(0, "", "g", "{}")) == (
        ToolCall("", "f", '{"x"'),
        ToolCall("", "g", {}),
    )


def test_the_same_id_and_name_never_make_another_call() -> None:
    assert calls_of(ToolCallDelta(0, "a", "f", "{}"), ToolCallDelta(0, "a", "f", " ")) == (ToolCall("a", "f", {}),)


def test_arguments_are_parsed_only_where_they_may_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece repeats the name. A parse at each of them would take quadratic time."""
    parsed: list[str] = []
    monkeypatch.setattr(streamed_calls, "loads", lambda text, **how: parsed.append(text) or loads(text, **how))
    pieces = [ToolCallDelta(0, "", "f", part) for part in ["[", *["1,"] * 1000, "1", "]"]]
    assert calls_of(*pieces) == (ToolCall("", "f", [1] * 1001),)
    assert parsed == []


@pytest.mark.parametrize(
    ("arguments", "args"),
    [("", {}), ("{}", {}), ('{"a": 1.0}', {"a": 1.0}), ('{"a": ', '{"a": '), ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}')],
)
def test_arguments_are_the_value_or_the_text_itself(arguments: str, args: object) -> None:
    (call,) = calls_of(ToolCallDelta(0, "a", "f", arguments))
    assert json.dumps(call.args) == json.dumps(args)
    codec.parse(AgentMessage("assistant", "", tool_calls=(call,)))
