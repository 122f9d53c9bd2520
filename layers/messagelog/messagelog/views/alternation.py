"""Turns that alternate between user and assistant, as Anthropic and Bedrock take them: lists of content blocks.

A text block of either holds its text under the key `text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from messagelog.messages import StoredMessage
from messagelog.views.exchanges import Call, Step, answer, calls_of, pair, rename
from messagelog.views.names import Ids, Names
from messagelog.views.turns import Turn

BEGINNING = "(The conversation begins here.)"

Block: TypeAlias = dict[str, Any]


class Dialect(NamedTuple):
    """How a provider writes the blocks of a turn, and which ids (a pattern) and names of calls it takes.

    `plain_result` is a result of this text to the call with this id, nothing mended.
    """

    text: Callable[[str], Block]
    call: Callable[[Call], Block]
    result: Callable[[Call], Block]
    plain_result: Callable[[str, str], Block]
    legal_id: str
    max_name_length: int


def turns_in(dialect: Dialect, messages: Sequence[StoredMessage], *, faithful: bool) -> list[Turn]:
    """The turns of the messages, in a view of such a provider."""
    if faithful:
        return [turn for message in messages for turn in _plain_turn(message, dialect)]
    steps = list(filter(_has_something, pair(messages)))
    answer(steps)
    rename(steps, Ids(dialect.legal_id), Names(dialect.max_name_length))
    merged = _merge(turn for step in steps for turn in _turns_of(step, dialect))
    _begin_with_user(merged, dialect)
    _strip_end(merged)
    return merged


def is_blank(text: str) -> bool:
    """Whether the text is nothing but white space."""
    return not text.strip()


def _has_something(step: Step) -> bool:
    """Whether such a provider gets to see the step: not the system prompt, not reasoning, not blank text alone."""
    return bool(step.calls) or (step.message.role in ("user", "assistant") and not is_blank(step.message.content))


def _turns_of(step: Step, dialect: Dialect) -> Iterator[Turn]:
    """The message's own turn, text before calls; behind it the results in one user turn, in the order of the calls."""
    message = step.message
    text = [] if is_blank(message.content) else [dialect.text(message.content)]
    yield _turn(message, message.role, text + [dialect.call(call) for call in step.calls])
    results = [dialect.result(call) for call in step.calls if not call.is_open]
    if results:
        yield _turn(message, "user", results)


def _plain_turn(message: StoredMessage, dialect: Dialect) -> Iterator[Turn]:
    """The turn of one message by itself, nothing mended; none if it holds no block."""
    if message.role == "tool":
        yield _turn(message, "user", [dialect.plain_result(message.tool_call_id or "", message.content)])
    elif message.role in ("user", "assistant"):
        text = [dialect.text(message.content)] if message.content else []
        content = text + [dialect.call(call) for call in calls_of(message)]
        if content:
            yield _turn(message, message.role, content)


def _merge(turns: Iterable[Turn]) -> list[Turn]:
    """One turn for each run of the same role, holding all their blocks."""
    merged: list[Turn] = []
    for turn in turns:
        before = merged[-1] if merged else None
        if before is None or before.body["role"] != turn.body["role"]:
            merged.append(turn)
            continue
        before.joints.append((turn.first, len(before.body["content"])))
        before.body["content"] += turn.body["content"]
        before.last = turn.last
    return merged


def _begin_with_user(turns: list[Turn], dialect: Dialect) -> None:
    """Puts a short user turn before a first turn of the assistant."""
    if turns and turns[0].body["role"] == "assistant":
        first = turns[0].first
        turns.insert(0, Turn(first, first, {"role": "user", "content": [dialect.text(BEGINNING)]}))


def _strip_end(turns: list[Turn]) -> None:
    """Takes the white space off the end of a final assistant turn."""
    if turns and turns[-1].body["role"] == "assistant":
        block = turns[-1].body["content"][-1]
        if "text" in block:
            block["text"] = block["text"].rstrip()


def _turn(message: StoredMessage, role: str, content: list[Block]) -> Turn:
    return Turn(message.seq, message.seq, {"role": role, "content": content})
