"""Any JSON that an endpoint streams as chunks gives events or a ProviderError, never another exception."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import ProviderError
from messagelog.chat.providers.chunks import events
from openai.types.chat import ChatCompletionChunk

from tests.support.asking import error_of
from tests.support.chat_server import ChatServer, Chunked

CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
DELTA = {
    "content": "x",
    "refusal": "x",
    "reasoning_content": "x",
    "tool_calls": [CALL],
    "function_call": {"name": "f", "arguments": "{}"},
}
CHUNK: dict[str, Any] = {"id": "c", "choices": [{"index": 0, "delta": DELTA, "finish_reason": "stop"}]}
PATHS: list[tuple[Any, ...]] = [
    ("choices",),
    ("choices", 0),
    *[("choices", 0, name) for name in ("index", "delta", "finish_reason", "error")],
    *[("choices", 0, "delta", name) for name in DELTA],
    ("choices", 0, "delta", "tool_calls", 0),
    *[("choices", 0, "delta", "tool_calls", 0, name) for name in CALL],
    *[("choices", 0, "delta", "tool_calls", 0, "function", name) for name in ("name", "arguments")],
]
ODD = st.recursive(
    st.sampled_from([None, True, 5, -1, 10**400, float("inf"), float("nan"), "", "x", "0"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "text", "0"]), inner),
    max_leaves=3,
)


def replaced(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The chunk with another value at a path."""
    chunk: Any = copy.deepcopy(CHUNK)
    place = chunk
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return chunk  # type: ignore[no-any-return]


@given(st.lists(st.builds(replaced, st.sampled_from(PATHS), ODD), min_size=1, max_size=3))
def test_any_chunk_gives_events_or_a_provider_error(chunks: list[dict[str, Any]]) -> None:
    with suppress(ProviderError):
        for event in events(ChatCompletionChunk.construct(**chunk) for chunk in chunks):
            assert all(isinstance(value, str | int) for value in (getattr(event, name) for name in event.__slots__))


@pytest.mark.parametrize(
    "body",
    [
        "no JSON",
        "5",
        "null",
        "[]",
        '"text"',
        '{"choices": {"0": {}}}',
        '{"choices": [null]}',
        '{"choices": [{"index": Infinity, "delta": {}}]}',
        '{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": Infinity}]}}]}',
        '{"choices": [{"index": 0, "delta": {"tool_calls": {"0": {}}}}]}',
        '{"choices": [{"index": 0, "delta": {"content": {"text": "x"}}}]}',
        '{"choices": [{"index": 0, "finish_reason": {"reason": "stop"}}]}',
        '{"choices": ' + "[" * 100_000,
        '{"choices": [{"index": 0, "delta": {"content": ' + "[" * 100_000 + "]" * 100_000 + "}}]}",
        '{"choices": ' + "9" * 5000 + "}",
    ],
    ids=lambda body: body[:60],
)
def test_a_malformed_chunk_over_http_is_a_provider_error(server: ChatServer, body: str) -> None:
    received, error = error_of(server, Chunked([body]))
    assert (received, error.status) == ([], None)
    assert error.code


def test_an_error_says_which_field_is_malformed(server: ChatServer) -> None:
    body = json.dumps(replaced(("choices", 0, "delta", "tool_calls", 0, "index"), "x"))
    _, error = error_of(server, Chunked([body]))
    assert str(error).endswith("tool_calls[].index is not a whole number")
