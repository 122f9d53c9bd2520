"""The messages of a chat are those of the log without system messages, and a limit bounds what is read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import StoredMessage
from messagelog.chat.spoken import spoken

AT = datetime(2026, 3, 1, tzinfo=UTC)
roles = st.lists(st.sampled_from(["system", "user", "assistant"]), max_size=12)


@given(roles, st.integers(0, 13), st.none() | st.integers(0, 13))
def test_a_limit_counts_only_what_a_chat_shows(roles: list[str], after: int, limit: int | None) -> None:
    log = [StoredMessage(role=role, content="", seq=seq, at=AT) for seq, role in enumerate(roles, 1)]  # type: ignore[arg-type]
    asked: list[int | None] = []

    def read(after: int, limit: int | None) -> Iterator[StoredMessage]:
        asked.append(limit)
        return islice(log[after:], limit)

    expected = [message for message in log[after:] if message.role != "system"][:limit]
    assert list(spoken(read, after, limit)) == expected
    assert all(it == limit or (it is not None and limit is not None and it < limit) for it in asked)


def test_a_negative_limit_is_an_error() -> None:
    with pytest.raises(ValueError, match="limit"):
        spoken(lambda after, limit: iter(()), 0, -1)
