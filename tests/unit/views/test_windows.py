"""Windows: the longest run of newest messages that a provider accepts, read from about as many rows."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, Messages, StoredMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.openai import to_openai
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import REACH, window

from tests.providers import anthropic_rules, openai_rules
from tests.providers.logs import broken_logs, interrupted_logs, repeating_logs, stored, valid_logs
from tests.support.providers import PROVIDERS, Provider
from tests.support.windows import ASSISTANT, CALL, RESULT, USER, Reader, seqs


@pytest.mark.parametrize(
    ("messages", "last", "expected"),
    [
        pytest.param([USER, ASSISTANT, USER, ASSISTANT], 2, [3, 4], id="exact"),
        pytest.param([USER, ASSISTANT, USER, ASSISTANT], 3, [3, 4], id="not from an assistant"),
        pytest.param([USER, CALL, RESULT, ASSISTANT, USER], 3, [5], id="not from a result"),
        pytest.param([USER, CALL, RESULT], 1, [1, 2, 3], id="one exchange at least, with its user message"),
        pytest.param([ASSISTANT, ASSISTANT], 5, [1, 2], id="exchanges alone"),
        pytest.param([AgentMessage("system", "s"), USER], 2, [1, 2], id="from a system message"),
        pytest.param([USER, CALL, USER, RESULT, USER], 3, [5], id="not between a call and its late result"),
        pytest.param([USER, RESULT, USER], 3, [1, 2, 3], id="a result without a call splits nothing"),
        pytest.param([USER, CALL, USER], 1, [3], id="an unanswered call splits nothing"),
        pytest.param([USER, CALL, RESULT, USER, RESULT, USER], 3, [6], id="not before a further result"),
        pytest.param([USER, USER], 0, [2], id="never empty"),
        pytest.param([], 3, [], id="empty log"),
    ],
)
def test_last(messages: list[AgentMessage], last: int, expected: list[int]) -> None:
    assert seqs(stored(messages), last=last) == expected


@given(log=interrupted_logs(), last=st.integers(0, 25))
@settings(max_examples=500, deadline=None)
def test_last_is_the_longest_run_that_splits_no_exchange(log: list[StoredMessage], last: int) -> None:
    """The sentence of the contract, tried for every start, on logs whose ids name one call each."""
    made_by = {call.id: message.seq for message in log for call in message.tool_calls}
    spans = [(made_by[id], m.seq) for m in log if m.role == "tool" and (id := m.tool_call_id or "") in made_by]
    expected = longest_run(log, spans, last)
    assert seqs(log, last=last) == expected if expected else bool(seqs(log, last=last)) == bool(log)


@given(log=repeating_logs(), last=st.integers(0, 30))
@settings(max_examples=500, deadline=None)
def test_a_window_splits_no_exchange_of_an_id_used_again(log: list[StoredMessage], last: int) -> None:
    """The same, on logs that use their ids again and again. A result belongs to the nearest unanswered call."""
    open_calls: list[tuple[str, int]] = []
    spans = []
    for message in log:
        if message.role == "tool":
            index = max(i for i, (id, _) in enumerate(open_calls) if id == message.tool_call_id)
            spans.append((open_calls.pop(index)[1], message.seq))
        open_calls += [(call.id, message.seq) for call in message.tool_calls]
    expected = longest_run(log, spans, last)
    assert seqs(log, last=last) == expected if expected else bool(seqs(log, last=last)) == bool(log)


def longest_run(log: list[StoredMessage], spans: list[tuple[int, int]], last: int) -> list[int]:
    """Returns the seqs of the longest run of newest messages that splits none of the exchanges."""
    starts = [
        message.seq
        for message in log
        if message.role in ("user", "system")
        and message.seq > len(log) - last
        and not any(call < message.seq <= result for call, result in spans)
    ]
    return list(range(starts[0], len(log) + 1)) if starts else []


@given(log=st.one_of(broken_logs(), interrupted_logs()), last=st.integers(1, 15))
@settings(max_examples=300, deadline=None)
def test_providers_accept_a_window_of_any_log(log: list[StoredMessage], last: int) -> None:
    part = window(iter(log[::-1]), WindowLimits(last=last))
    assert bool(part) == bool(log)
    assert part[1:] == log[len(log) - len(part) + 1 :], "only the user message of a long turn is apart"
    for rules, view in ((openai_rules, to_openai), (anthropic_rules, to_anthropic)):
        assert rules.faults(rules.continued(view(part))) == []


@pytest.mark.parametrize("provider", PROVIDERS)
@given(log=valid_logs(), last=st.integers(1, 30))
@settings(max_examples=200, deadline=None)
def test_a_window_of_a_valid_history_needs_no_repair(provider: Provider, log: list[StoredMessage], last: int) -> None:
    part = window(iter(log[::-1]), WindowLimits(last=last))
    view, whole = provider.show(part), provider.show(log)
    assert view[1:] == whole[len(whole) - len(view) + 1 :], "only the user message of a long turn is apart"
    assert to_openai(part) == to_openai(part, faithful=True)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(
    log=valid_logs(calls_at_once=(1, REACH - 1, REACH + 100), thoughts=(0, 1, REACH + 1)),
    last=st.integers(1, 10 * REACH),
)
@settings(max_examples=100, deadline=None)
def test_a_window_keeps_hundreds_of_calls_at_once(provider: Provider, log: list[StoredMessage], last: int) -> None:
    part = window(iter(log[::-1]), WindowLimits(last=last))
    view = [turn.body for turn in provider.view.turns(part)]
    whole = provider.show(log)
    assert view[1:] == whole[len(whole) - len(view) + 1 :], "only the user message of a long turn is apart"


@given(log=valid_logs(), last=st.integers(1, 30))
@settings(max_examples=200, deadline=None)
def test_a_window_of_a_valid_history_reads_only_itself(log: list[StoredMessage], last: int) -> None:
    reader = Reader(log)
    part = window(reader, WindowLimits(last=last))
    is_long_turn = bool(part) and part[-1].seq - part[0].seq >= last
    assert reader.read == min(last, len(log)) or (is_long_turn and reader.read <= 1_000)


@pytest.mark.parametrize("filler", [ASSISTANT, RESULT, USER, CALL], ids=["assistant", "stray results", "user", "calls"])
def test_a_window_of_a_long_log_reads_little(filler: AgentMessage) -> None:
    reader = Reader(stored([USER, *[filler] * 20_000]))
    window(reader, WindowLimits(last=20))
    assert reader.read <= 1_000
    reader = Reader(stored([USER, *[filler] * 20_000]))
    window(reader, WindowLimits(max_tokens=20))
    assert reader.read <= 1_000


def test_a_window_looks_for_a_call_before_hundreds_of_results() -> None:
    calls = tuple(ToolCall(f"t{number}", "f", {}) for number in range(REACH + 100))
    results = [AgentMessage("tool", "R", tool_call_id=call.id) for call in calls]
    log = stored([USER, AgentMessage("assistant", "", tool_calls=calls), *results[:-1], USER, results[-1], USER])
    assert seqs(log, last=3) == [len(log)]


def test_a_window_reads_at_most_500_messages_back() -> None:
    reader = Reader(stored([USER, *[RESULT] * 20_000, USER, AgentMessage("tool", "R", tool_call_id="t2"), USER]))
    assert len(window(reader, WindowLimits(last=3))) == 3
    assert reader.read <= 3 + 500


def test_a_window_looks_for_a_call_only_within_reach() -> None:
    between = [USER] * REACH
    assert seqs(stored([CALL, *between[1:], RESULT, USER]), last=REACH) == [REACH + 2]
    assert seqs(stored([CALL, *between, RESULT, USER]), last=REACH)[0] == 4
    assert seqs(stored([CALL, *between, RESULT, USER]), last=1000)[0] == 2


@pytest.mark.parametrize("view", [to_openai, to_anthropic], ids=["openai", "anthropic"])
@pytest.mark.parametrize(
    "filler", [AgentMessage("system", "s"), AgentMessage("assistant", " ")], ids=["system", "blank"]
)
def test_a_message_that_no_view_shows_counts_as_distance(view: Any, filler: AgentMessage) -> None:
    log = stored([USER, CALL, *[filler] * REACH, AgentMessage("tool", "late", tool_call_id="t1"), USER])
    assert "never answered" in str(view(Messages(log, reach=REACH)))
    assert "never answered" not in str(view(Messages(log[:2] + log[3:], reach=REACH)))


def test_the_call_of_a_result_out_of_reach_is_unanswered() -> None:
    log = stored([USER, CALL, *[USER] * REACH, RESULT, USER])
    whole, part = to_openai(log), to_openai(window(iter(log[::-1]), WindowLimits(last=1000)))
    assert whole[2] == {"role": "tool", "tool_call_id": "t1", "content": "R"}
    assert part[2]["content"] != "R"
    assert [entry["role"] for entry in part[-3:]] == ["assistant", "tool", "user"]
    assert part[-2]["content"] == "R"


@pytest.mark.parametrize("early", [[], [RESULT]], ids=["the first result", "a further result"])
def test_a_result_belongs_to_its_call_within_the_reach(early: list[AgentMessage]) -> None:
    between = [USER] * (REACH - 1)
    late = AgentMessage("tool", "late", tool_call_id="t1")
    near, far = [CALL, *early, *between, late], [CALL, *early, *between, USER, late]
    assert "late" in to_openai(Messages(stored(near), reach=REACH))[1]["content"]
    assert "late" not in to_openai(Messages(stored(far), reach=REACH))[1]["content"]
    assert to_openai(Messages(stored(far), reach=REACH))[-1]["content"] == "late"


def test_without_a_limit_it_is_the_whole_log() -> None:
    assert seqs(stored([ASSISTANT, USER])) == [1, 2]


@pytest.mark.parametrize("limit", ["last", "max_tokens"])
def test_a_negative_limit_is_an_error(limit: str) -> None:
    with pytest.raises(ValueError, match=limit):
        WindowLimits(**{limit: -1})


def test_a_window_starts_lazily() -> None:
    endless = (StoredMessage.of(USER, seq=10**9 - n, at=stored([USER])[0].at) for n in count())
    assert len(window(endless, WindowLimits(last=3))) == 3
