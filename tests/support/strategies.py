"""Strategies for messages: any JSON value, text and file that a message can hold, with a preference for odd ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from typing import Any

from hypothesis import strategies as st
from messagelog import AgentMessage, File, Original, StoredMessage, ToolCall
from messagelog.messages import ORIGINS, ROLES

odd_texts = st.sampled_from(
    ["", "\x00", "a\x00b", "\n", "\u2028", "\ufeff", "\uffff", "😀", "e\u0301", '"\\', "NaN", "null"]
)
texts = odd_texts | st.text()
odd_numbers = st.sampled_from(
    [
        0,
        0.0,
        -0.0,
        1,
        1.0,
        True,
        5e-324,
        1.7976931348623157e308,
        0.1,
        1e22,
        2**53 + 1,
        10**400,
        -(10**400),
        10**4300 - 1,
    ]
)
numbers = odd_numbers | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)
tool_calls = st.builds(ToolCall, id=texts, name=texts, args=json_values)
times = st.datetimes(timezones=st.just(UTC)).map(lambda at: at.replace(fold=0))

media_types = st.sampled_from(["image/png", "application/pdf", "text/plain", "application/vnd.a+xml", "x/y"])
urls = st.builds(
    "{}{}".format,
    st.sampled_from(["https://", "s3://", "gs://", "openai-file:", "anthropic-file:"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1),
)
_names = st.none() | texts
files = st.builds(File, media_types, data=st.binary(min_size=1), name=_names) | st.builds(
    File, media_types, url=urls, name=_names
)
originals = st.builds(
    Original,
    api=st.sampled_from(["anthropic", "bedrock", "gemini", "openai", "responses", "my-adapter-2"]),
    blocks=st.lists(json_values, max_size=3),
    model=st.none() | texts,
)


@st.composite
def _fields(draw: st.DrawFn) -> dict[str, Any]:
    """The fields of a message. Files stand anywhere in its content, and a thought has none."""
    role, content = draw(st.sampled_from(ROLES)), draw(texts)
    offsets = st.none() | st.integers(0, len(content))
    drawn = [] if role == "reasoning" else draw(st.lists(files, max_size=2))
    return {
        "role": role,
        "content": content,
        "name": draw(st.none() | texts),
        "tool_calls": tuple(draw(st.lists(tool_calls, max_size=3))),
        "tool_call_id": draw(st.none() | texts),
        "origin": draw(st.none() | st.sampled_from(ORIGINS)),
        "created_at": draw(st.none() | times),
        "files": tuple(replace(file, offset=draw(offsets)) for file in drawn),
        "original": draw(st.none() | originals),
    }


messages = _fields().map(lambda fields: AgentMessage(**fields))
stored_messages = st.builds(StoredMessage.of, messages, seq=st.integers(1, 10**12 - 1), at=times)
