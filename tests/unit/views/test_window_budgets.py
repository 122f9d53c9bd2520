"""The budget of a window: how its messages are counted, and how far it is read."""

from __future__ import annotations

from messagelog import AgentMessage, ToolCall
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import window

from tests.providers.logs import stored
from tests.support.windows import RESULT, USER, Reader, seqs


def test_max_tokens_is_estimated_at_four_bytes_a_token() -> None:
    log = stored([AgentMessage("user", "1234"), AgentMessage("user", "12345"), AgentMessage("user", "äöü")])
    assert [seqs(log, max_tokens=n) for n in range(6)] == [[3], [3], [3], [3], [2, 3], [1, 2, 3]]


def test_max_tokens_uses_the_given_counter() -> None:
    log = stored([AgentMessage("user", "one two"), AgentMessage("user", "three")])
    assert seqs(log, max_tokens=2, count_tokens=lambda text: len(text.split())) == [2]
    assert seqs(log, max_tokens=3, count_tokens=lambda text: len(text.split())) == [1, 2]


def test_max_tokens_counts_calls_but_not_reasoning() -> None:
    call = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "four", {"a": "x" * 30}),))
    assert seqs(stored([USER, call, USER]), max_tokens=8) == [3]
    assert seqs(stored([USER, call, USER]), max_tokens=20) == [1, 2, 3]
    assert seqs(stored([USER, AgentMessage("reasoning", "x" * 100)]), max_tokens=1) == [1, 2]


def test_both_limits_hold() -> None:
    log = stored([USER] * 5)
    assert seqs(log, last=2, max_tokens=3) == [4, 5]
    assert seqs(log, last=3, max_tokens=2) == [4, 5]


def test_the_budget_ends_the_reading() -> None:
    reader = Reader(stored([USER] * 1000))
    assert len(window(reader, WindowLimits(max_tokens=10))) == 10
    assert reader.read == 11


def test_a_call_just_over_the_budget_is_seen() -> None:
    big = AgentMessage("assistant", "x" * 100, tool_calls=(ToolCall("t1", "f", {}),))
    assert seqs(stored([USER, big, USER, RESULT, USER]), max_tokens=3) == [5]
