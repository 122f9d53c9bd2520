"""Where a window starts: it stands still for `step` messages, and earlier turns know whether it was the same."""

from __future__ import annotations

from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, File, Original, StoredMessage, ToolCall
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import window

from tests.providers.logs import broken_logs, interrupted_logs, stored

USER = AgentMessage("user", "q")
ASSISTANT = AgentMessage("assistant", "a")
CALL = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", {}),))
RESULT = AgentMessage("tool", "R", tool_call_id="t1")
THOUGHT = AgentMessage("assistant", "a", original=Original("anthropic", [{"type": "text", "text": "a"}]))

LOGS = st.one_of(broken_logs(), interrupted_logs())


def cut(log: list[StoredMessage], limits: WindowLimits) -> list[int]:
    return [message.seq for message in window(iter(log[::-1]), limits)]


@given(log=LOGS, last=st.integers(0, 15), step=st.integers(1, 15))
@settings(max_examples=300, deadline=None)
def test_a_window_is_empty_only_if_the_log_is(log: list[StoredMessage], last: int, step: int) -> None:
    found = cut(log, WindowLimits(last=last, step=min(step, last or step)))
    assert bool(found) == bool(log)
    assert found[-1:] == [message.seq for message in log[-1:]]


def test_a_step_lets_the_start_stand_still() -> None:
    log = stored([USER] * 60)
    starts = [cut(log[:length], WindowLimits(last=20, step=10))[0] for length in range(1, 61)]
    assert starts == [1] * 20 + [11] * 10 + [21] * 10 + [31] * 10 + [41] * 10


def test_a_step_counts_messages_also_within_a_budget() -> None:
    log = stored([AgentMessage("user", "1234")] * 40)
    starts = [cut(log[:length], WindowLimits(max_tokens=20, step=10))[0] for length in range(1, 41)]
    assert starts == [1] * 20 + [11] * 10 + [21] * 10


@pytest.mark.parametrize("step", [0, -1, 6, 1.0, True])
def test_a_step_is_from_1_to_last(step: int) -> None:
    with pytest.raises(ValueError, match="step"):
        WindowLimits(last=5, step=step)


def test_a_long_turn_keeps_its_user_message_and_what_fits() -> None:
    log = stored([USER, ASSISTANT, USER, *[CALL, RESULT] * 10])
    assert cut(log, WindowLimits(last=7)) == [3, 18, 19, 20, 21, 22, 23]
    assert cut(log, WindowLimits(last=6)) == [3, 20, 21, 22, 23]
    assert cut(log, WindowLimits(last=1)) == [3, 22, 23]


def test_a_long_turn_without_a_user_keeps_exchanges() -> None:
    log = stored([CALL, RESULT] * 10)
    assert cut(log, WindowLimits(last=5)) == [17, 18, 19, 20]
    assert cut(log, WindowLimits(last=1)) == [19, 20]


def test_the_user_message_is_sought_1000_messages_back() -> None:
    near, far = (stored([USER, *[CALL, RESULT] * pairs]) for pairs in (499, 500))
    assert cut(near, WindowLimits(last=4))[0] == 1
    assert cut(far, WindowLimits(last=4)) == [998, 999, 1000, 1001]


def test_a_message_above_the_budget_is_shown() -> None:
    assert cut(stored([USER, AgentMessage("user", "x" * 400)]), WindowLimits(max_tokens=10)) == [2]


def test_a_file_counts_1600_tokens_unless_somebody_counts() -> None:
    log = stored([USER, AgentMessage("user", "", files=(File("image/png", b"x"),)), USER])
    assert cut(log, WindowLimits(max_tokens=1_600)) == [3]
    assert cut(log, WindowLimits(max_tokens=1_601)) == [2, 3]
    assert cut(log, WindowLimits(max_tokens=11, count_file=lambda file: 10)) == [2, 3]


def test_an_original_counts_four_bytes_a_token() -> None:
    big = AgentMessage("assistant", "a", original=Original("anthropic", [{"type": "thinking", "signature": "x" * 400}]))
    assert cut(stored([USER, big, USER]), WindowLimits(max_tokens=100)) == [3]
    assert cut(stored([USER, big, USER]), WindowLimits(max_tokens=120)) == [1, 2, 3]


@given(
    messages=st.lists(st.sampled_from([USER, USER, THOUGHT, CALL, RESULT, RESULT, ASSISTANT]), max_size=30),
    last=st.integers(1, 12),
    step=st.integers(1, 12),
)
@settings(max_examples=500, deadline=None)
def test_same_start_from_is_what_earlier_windows_tell(messages: list[AgentMessage], last: int, step: int) -> None:
    """Every earlier window is cut from the log as it was; the seq says which of them began where this one does."""
    log, limits = stored(messages), WindowLimits(last=last, step=min(step, last))
    found = window(iter(log[::-1]), limits)
    turns = [message.seq for message in found if message.original]
    same = [cut(log[: seq - 1], limits) == [message.seq for message in found if message.seq < seq] for seq in turns]
    said = [seq >= found.same_start_from for seq in turns]
    assert all(is_same for is_same, is_said in zip(same, said, strict=True) if is_said)
    assert said.count(True) == len(list(takewhile(bool, same[::-1]))), "none is missed"


def test_a_window_of_the_whole_log_has_always_had_its_start() -> None:
    assert window(iter(stored([USER, THOUGHT, USER])[::-1]), WindowLimits(last=3)).same_start_from == 0


def test_a_window_without_own_turns_reads_no_further() -> None:
    read = []
    newest_first = (read.append(message.seq) or message for message in stored([USER] * 50)[::-1])
    window(newest_first, WindowLimits(last=10))
    assert len(read) == 10
