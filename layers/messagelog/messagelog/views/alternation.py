"""Turns that alternate between user and assistant, as Anthropic and Bedrock take them: lists of content blocks.

A text block of either holds its text under the key `text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from messagelog.messages import StoredMessage
from messagelog.views.exchanges import Call, Step, calls_of
from messagelog.views.turns import Turn

BEGINNING = "(The conversation begins here.)"

Block: TypeAlias = dict[str, Any]


class Blocks(NamedTuple):
    """How a provider writes the blocks of a turn."""

    text: Callable[[str], Block]
    call: Callable[[Call], Block]
    result: Callable[[Call], Block]


def has_something(message: StoredMessage) -> bool:
    """Whether such a provider gets to see the message: not the system prompt, not reasoning, not blank text alone."""
    if message.role in ("system", "reasoning"):
        return False
    return message.role == "tool" or not is_blank(message.content) or bool(calls_of(message))


def is_blank(text: str) -> bool:
    """Whether the text is nothing but white space."""
    return not text.strip()


def turns_of(step: Step, blocks: Blocks) -> Iterator[Turn]:
    """The message's own turn, text before calls; behind it the results in one user turn, in the order of the calls."""
    message = step.message
    text = [] if is_blank(message.content) else [blocks.text(message.content)]
    yield _turn(message, message.role, text + [blocks.call(call) for call in step.calls])
    results = [blocks.result(call) for call in step.calls if not call.is_open]
    if results:
        yield _turn(message, "user", results)


def plain_turn(message: StoredMessage, blocks: Blocks) -> Iterator[Turn]:
    """The turn of one message by itself, nothing mended; none if it holds no block."""
    if message.role == "tool":
        result = Call(message.tool_call_id or "", message.name or "", {}, [message])
        yield _turn(message, "user", [blocks.result(result)])
    elif message.role in ("user", "assistant"):
        text = [blocks.text(message.content)] if message.content else []
        content = text + [blocks.call(call) for call in calls_of(message)]
        if content:
            yield _turn(message, message.role, content)


def merge(turns: Iterable[Turn]) -> list[Turn]:
    """One turn for each run of the same role, holding all their blocks."""
    merged: list[Turn] = []
    for turn in turns:
        before = merged[-1] if merged else None
        if before is None or before.body["role"] != turn.body["role"]:
            merged.append(turn)
            continue
        if turn.body["role"] == "user":
            before.joints.append((turn.first, len(before.body["content"])))
        before.body["content"] += turn.body["content"]
        before.last = turn.last
    return merged


def begin_with_user(turns: list[Turn], blocks: Blocks) -> None:
    """Puts a short user turn before a first turn of the assistant."""
    if turns and turns[0].body["role"] == "assistant":
        first = turns[0].first
        turns.insert(0, Turn(first, first, {"role": "user", "content": [blocks.text(BEGINNING)]}))


def strip_end(turns: list[Turn]) -> None:
    """Takes the white space off the end of a final assistant turn."""
    if turns and turns[-1].body["role"] == "assistant":
        block = turns[-1].body["content"][-1]
        if "text" in block:
            block["text"] = block["text"].rstrip()


def _turn(message: StoredMessage, role: str, content: list[Block]) -> Turn:
    return Turn(message.seq, message.seq, {"role": role, "content": content})
