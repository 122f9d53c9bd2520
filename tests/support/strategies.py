"""What hypothesis makes messages from: any JSON value and any text that a message may hold, odd ones preferred."""

from __future__ import annotations

from datetime import UTC

from hypothesis import strategies as st
from messagelog import AgentMessage, StoredMessage, ToolCall
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
_fields = {
    "role": st.sampled_from(ROLES),
    "content": texts,
    "name": st.none() | texts,
    "tool_calls": st.lists(tool_calls, max_size=3).map(tuple),
    "tool_call_id": st.none() | texts,
    "origin": st.none() | st.sampled_from(ORIGINS),
    "created_at": st.none() | times,
}
messages = st.builds(AgentMessage, **_fields)
stored_messages = st.builds(
    StoredMessage,
    **_fields,
    seq=st.integers(1, 10**12 - 1),
    at=times,
)
