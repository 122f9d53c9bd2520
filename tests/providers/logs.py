"""Generated logs, good and broken, for the property tests of the views.

Every text that is not blank and all args carry a mark of their own, so that a test can tell what became of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st
from messagelog import AgentMessage, StoredMessage, ToolCall

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)

IDS = ["", "t1", "t2", "x.y", "x_y", "é", " ", "t1_2_0", "call_3_0", "i" * 40, "i" * 41, "i" * 65 + "j", "i" * 65 + "k"]
NAMES = [None, "", "f", "Ann Lee", "Ann_Lee", "Žofie", " ", "n" * 64, "n" * 65, "n" * 130, "bot-1"]
SPACES = ["", " ", "\n\t", "\u00a0"]


def stored(messages: Iterable[AgentMessage]) -> list[StoredMessage]:
    """Returns the messages as a log would hold them."""
    return [StoredMessage.of(message, seq=seq, at=AT) for seq, message in enumerate(messages, 1)]


def mark(number: int) -> str:
    """Returns a text that is unique for the number and is not a part of another one."""
    return f"«{number}»"


@st.composite
def _text(draw: st.DrawFn, number: int) -> str:
    blank = draw(st.sampled_from(SPACES))
    return blank if draw(st.integers(0, 3)) == 0 else blank + mark(number) + draw(st.sampled_from(SPACES))


@st.composite
def _args(draw: st.DrawFn, number: int) -> Any:
    text = mark(number)
    shapes = [
        f'{{"a": "{text}',
        {},
        None,
        "",
        {"a": text},
        [1, text],
        text,
        f'{{"a": "{text}"}}',
        f'{{"a": "{text}", "a": 1}}',
        {"ü": [text]},
    ]
    return draw(st.sampled_from(shapes))


@st.composite
def broken_logs(draw: st.DrawFn, max_size: int = 14) -> list[StoredMessage]:
    """Any messages in any order: ids and names repeat, are missing, or are refused by every provider."""
    roles = st.sampled_from(["user", "assistant", "tool", "tool", "system", "reasoning"])
    messages = []
    for number in range(draw(st.integers(0, max_size))):
        role = draw(roles)
        messages.append(
            AgentMessage(
                role,
                draw(_text(number)),
                name=draw(st.sampled_from(NAMES)),
                tool_calls=draw(_calls(number)) if role == "assistant" else (),
                tool_call_id=draw(st.sampled_from([None, *IDS])) if role == "tool" else None,
            )
        )
    return stored(messages)


@st.composite
def _calls(draw: st.DrawFn, number: int) -> tuple[ToolCall, ...]:
    name = st.sampled_from([name or "" for name in NAMES])
    marks = range(1000 * (number + 1), 1000 * (number + 1) + draw(st.integers(0, 3)))
    return tuple(ToolCall(draw(st.sampled_from(IDS)), draw(name), draw(_args(number))) for number in marks)


@st.composite
def interrupted_logs(draw: st.DrawFn) -> list[StoredMessage]:
    """Real conversations gone wrong: every call has its own id; results are late, out of order, doubled or missing."""
    messages: list[AgentMessage] = []
    waiting: list[ToolCall] = []
    for number in range(draw(st.integers(0, 20))):
        kind = draw(st.sampled_from(["user", "assistant", "calls", "result", "result", "system", "stray"]))
        text = mark(number)
        if kind == "calls":
            calls = tuple(ToolCall(f"id-{number}-{i}", "f", {"a": mark(1000 + 10 * number + i)}) for i in range(2))
            waiting += calls
            messages.append(AgentMessage("assistant", draw(st.sampled_from(["", text])), tool_calls=calls))
        elif kind == "result" and waiting:
            call = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
            messages.append(AgentMessage("tool", text, tool_call_id=call.id))
        elif kind in ("result", "stray"):
            messages.append(AgentMessage("tool", text, tool_call_id=f"stray-{number}"))
        else:
            messages.append(AgentMessage(kind, text))
    return stored(messages)


@st.composite
def repeating_logs(draw: st.DrawFn) -> list[StoredMessage]:
    """Conversations whose calls have the same few ids in every turn. Each result answers a call that waits for it."""
    messages: list[AgentMessage] = []
    waiting: list[str] = []
    for number in range(draw(st.integers(0, 25))):
        kind = draw(st.sampled_from(["user", "assistant", "calls", "result", "result"]))
        if kind == "calls":
            ids = draw(st.lists(st.sampled_from(["call_0", "call_1"]), min_size=1, max_size=2))
            waiting += ids
            calls = tuple(ToolCall(id, "f", {}) for id in ids)
            messages.append(AgentMessage("assistant", "", tool_calls=calls))
        elif kind == "result" and waiting:
            id = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
            messages.append(AgentMessage("tool", mark(number), tool_call_id=id))
        elif kind != "result":
            messages.append(AgentMessage(kind, mark(number)))
    return stored(messages)


@st.composite
def crowded_logs(draw: st.DrawFn) -> list[StoredMessage]:
    """More calls at once than a message of OpenAI holds, their results out of order, some late and some missing."""
    calls = [ToolCall(f"id-{i}", "f", {"a": mark(1000 + i)}) for i in range(draw(st.integers(100, 400)))]
    results = [AgentMessage("tool", mark(2000 + i), tool_call_id=call.id) for i, call in enumerate(calls)]
    draw(st.randoms(use_true_random=False)).shuffle(results)
    early, late = sorted(draw(st.integers(0, len(results))) for _ in range(2))
    later = draw(st.sampled_from([[], [AgentMessage("user", mark(1))], [AgentMessage("assistant", mark(2))]]))
    asked = AgentMessage("assistant", draw(st.sampled_from(["", mark(3)])), name="Ann Lee", tool_calls=tuple(calls))
    return stored([AgentMessage("user", mark(4)), asked, *results[:early], *later, *results[early:late]])


@st.composite
def valid_logs(
    draw: st.DrawFn, calls_at_once: tuple[int, ...] = (1, 2, 3), thoughts: tuple[int, ...] = (0,)
) -> list[StoredMessage]:
    """Histories that every provider accepts as they are: each call is answered at once, and roles alternate.

    `thoughts` are the numbers of reasoning messages that may stand between a call and its results.
    """
    messages = [AgentMessage("system", mark(900))] if draw(st.booleans()) else []
    for number in range(draw(st.integers(0, 6))):
        messages.append(AgentMessage("user", mark(100 * number)))
        for round in range(draw(st.integers(0, 2))):
            ids = [f"id-{number}-{round}-{i}" for i in range(draw(st.sampled_from(calls_at_once)))]
            messages.append(
                AgentMessage("assistant", "", tool_calls=tuple(ToolCall(id, "f", {"id": id}) for id in ids))
            )
            messages += [AgentMessage("reasoning", "hm")] * draw(st.sampled_from(thoughts))
            messages += [AgentMessage("tool", f"result of {id}", tool_call_id=id) for id in ids]
        messages.append(AgentMessage("assistant", mark(100 * number + 99)))
    return stored(messages)
