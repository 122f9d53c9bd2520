"""The rules that Anthropic and Bedrock share: user and assistant alternate, and a turn is a list of blocks.

The providers' own modules say which of these rules they keep, and in which order.
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


class Blocks(NamedTuple):
    """How a provider writes its content blocks. A text block of both providers holds its text under the key `text`.

    Attributes:
        text: Makes the block of a text.
        call: Makes the block of a call.
        result: Makes the block of a call's result, repaired.
        plain_result: Makes the block of a result from the id of its call and its text, without repairs.
    """

    text: Callable[[str], Block]
    call: Callable[[Call], Block]
    result: Callable[[Call], Block]
    plain_result: Callable[[str, str], Block]


def exchanges(messages: Sequence[StoredMessage], ids: Ids, names: Names) -> list[Step]:
    """Returns the steps that the provider sees: paired, answered and renamed."""
    steps = list(filter(_is_shown, pair(messages)))
    answer(steps)
    rename(steps, ids, names)
    return steps


def written(steps: Iterable[Step], blocks: Blocks) -> Iterator[Turn]:
    """Yields the turn of each step, with the text before the calls, and then one user turn with all their results."""
    for step in steps:
        message = step.message
        text = [] if is_blank(message.content) else [blocks.text(message.content)]
        yield _turn(message, message.role, text + [blocks.call(call) for call in step.calls])
        results = [blocks.result(call) for call in step.calls if not call.is_open]
        if results:
            yield _turn(message, "user", results)


def plain(messages: Iterable[StoredMessage], blocks: Blocks) -> list[Turn]:
    """Returns one turn for each message, without repairs. A message without any block has no turn."""
    found = []
    for message in messages:
        role, content = message.role, []
        if role == "tool":
            role, content = "user", [blocks.plain_result(message.tool_call_id or "", message.content)]
        elif role in ("user", "assistant"):
            content = [blocks.text(message.content)] if message.content else []
            content += [blocks.call(call) for call in calls_of(message)]
        if content:
            found.append(_turn(message, role, content))
    return found


def merged(turns: Iterable[Turn]) -> list[Turn]:
    """Returns one turn for each run of turns of the same role, with the blocks of all of them."""
    found: list[Turn] = []
    for turn in turns:
        before = found[-1] if found else None
        if before is None or before.body["role"] != turn.body["role"]:
            found.append(turn)
            continue
        before.joints.append((turn.first, len(before.body["content"])))
        before.body["content"] += turn.body["content"]
        before.last = turn.last
    return found


def begin_with_user(turns: list[Turn], blocks: Blocks) -> None:
    """Puts a short user turn before a first turn of the assistant."""
    if turns and turns[0].body["role"] == "assistant":
        first = turns[0].first
        turns.insert(0, Turn(first, first, {"role": "user", "content": [blocks.text(BEGINNING)]}))


def strip_end(turns: list[Turn]) -> None:
    """Removes the white space at the end of a final assistant turn."""
    if turns and turns[-1].body["role"] == "assistant":
        block = turns[-1].body["content"][-1]
        if "text" in block:
            block["text"] = block["text"].rstrip()


def is_blank(text: str) -> bool:
    """Whether the text is empty or white space only."""
    return not text.strip()


def _is_shown(step: Step) -> bool:
    """Whether the provider sees the step. It does not see system messages, reasoning, or blank text without calls."""
    return bool(step.calls) or (step.message.role in ("user", "assistant") and not is_blank(step.message.content))


def _turn(message: StoredMessage, role: str, content: list[Block]) -> Turn:
    return Turn(message.seq, message.seq, {"role": role, "content": content})
