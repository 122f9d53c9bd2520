"""A view that needs more memory or time than its function has is refused before either is used up."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count, islice
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import StoredMessage, ToolCall
from messagelog.api.means import within_means
from messagelog.api.problems import RequestError

AT = datetime(2026, 3, 1, tzinfo=UTC)
ENDLESS = 5_000_000


def having(megabytes: int | str, seconds: float) -> Any:
    return SimpleNamespace(memory_limit_in_mb=megabytes, get_remaining_time_in_millis=lambda: seconds * 1000)


def log(content: str = "hi", **fields: Any) -> Iterator[StoredMessage]:
    """An endless log, so that a test which is not refused would not end."""
    message = StoredMessage(role="assistant", content=content, seq=1, at=AT, **fields)
    return (message for _ in count())


def held(messages: Iterator[StoredMessage], context: Any) -> int:
    """The number of messages before the refusal."""
    numbers = count()
    passed = (next(numbers) for _ in within_means(messages, context))
    with pytest.raises(RequestError, match="ask for a window, with last or max_tokens") as refused:
        deque(islice(passed, ENDLESS), maxlen=0)
    assert refused.value.status == 413
    return next(numbers)


def test_memory_bounds_the_messages() -> None:
    small, large = (held(log(), having(megabytes, 900)) for megabytes in (512, 1_769))
    assert 100_000 < small < 512 * 2**20 / 1_000
    assert 600_000 < large < 1_769 * 2**20 / 1_000


def test_time_bounds_the_messages() -> None:
    short, long = (held(log(), having(10_240, seconds)) for seconds in (5, 20))
    assert 50_000 < short < long < 1_000_000


def test_half_a_cpu_makes_half_the_view() -> None:
    half, whole = (held(log(), having(megabytes, 4)) for megabytes in (885, 1_769))
    assert half < 0.6 * whole


def test_without_time_left_no_view_is_made() -> None:
    assert held(log(), having(10_240, 1)) == 0


@pytest.mark.parametrize("content", ["x" * 1_000_000, "é" * 1_000_000, "語" * 500_000, "😀" * 250_000], ids=ascii)
def test_text_counts_as_the_memory_that_it_takes(content: str) -> None:
    assert 700 < held(log(content), having(1_769, 900)) < 1_769


def test_args_count_by_their_containers() -> None:
    calls = (ToolCall("c", "f", [[] for _ in range(100_000)]),)
    assert held(log("", tool_calls=calls), having(1_769, 900)) < 100


def test_lambdas_runtime_gives_the_memory_as_text() -> None:
    assert held(log(), having("512", 900)) == held(log(), having(512, 900))


def test_without_a_context_nothing_is_limited() -> None:
    assert sum(1 for _ in within_means(islice(log(), 10_000), None)) == 10_000
