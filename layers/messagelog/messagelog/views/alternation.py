"""The rules that Anthropic and Bedrock share: user and assistant alternate, and a turn is a list of blocks.

The module of each provider says which of these rules apply, and in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from messagelog.messages import Messages, StoredMessage
from messagelog.views.exchanges import Call, Step, answer, calls_of, pair, rename
from messagelog.views.names import Ids, Names
from messagelog.views.originals import Block, Own, own_blocks, renamed, with_thinking
from messagelog.views.placeholders import text_of
from messagelog.views.target import FAITHFUL, Target
from messagelog.views.turns import Turn

BEGINNING = "(The conversation begins here.)"


class Blocks(NamedTuple):
    """How a provider writes its content blocks. A text block of both providers holds its text under the key `text`.

    Attributes:
        text: Makes the block of a text.
        call: Makes the block of a call.
        result: Makes the block of a call's result, repaired.
        plain_result: Makes the block of a result from the id of its call and its text, without repairs.
        own: The form of the provider's own turns.
    """

    text: Callable[[str], Block]
    call: Callable[[Call], Block]
    result: Callable[[Call], Block]
    plain_result: Callable[[str, str], Block]
    own: Own


def exchanges(messages: Sequence[StoredMessage], ids: Ids, names: Names, own: Own, target: Target) -> list[Step]:
    """Returns the steps that the provider sees, with the results and legal names of calls, and models' own turns."""
    steps = pair(messages)
    start = messages.same_start_from if isinstance(messages, Messages) else 0
    for step, keeps_thinking in with_thinking(steps, 0 if target.reasoning else start):
        step.own = _own(step, own, target, keeps_thinking or target.reasoning is True)
    shown = list(filter(_is_shown, steps))
    answer(shown)
    rename(shown, ids, names)
    for step in shown:
        if step.own:
            step.own = renamed(step.own, step, own)
    return shown


def _own(step: Step, own: Own, target: Target, keeps_thinking: bool) -> list[Block] | None:
    """Returns the blocks of the model's own turn to send back, without blank text."""
    blocks = own_blocks(step.message, own, target) or []
    return [
        block for block in blocks if (keeps_thinking or not own.is_thinking(block)) and not is_blank_text(block)
    ] or None


def is_blank_text(block: Block) -> bool:
    """Whether this is a text block without any text."""
    is_text = block.get("type", "text") == "text" and isinstance(block.get("text"), str)
    return is_text and is_blank(block["text"])


def written(steps: Iterable[Step], blocks: Blocks) -> Iterator[Turn]:
    """Yields the turn of each step, with the text before the calls, and then one user turn with all their results."""
    for step in steps:
        message = step.message
        text = [] if is_blank(text_of(message)) else [blocks.text(text_of(message))]
        yield _turn(message, message.role, step.own or text + [blocks.call(call) for call in step.calls])
        results = [blocks.result(call) for call in step.calls if not call.is_open]
        if results:
            yield _turn(message, "user", results)


def plain(messages: Iterable[StoredMessage], blocks: Blocks) -> list[Turn]:
    """Returns one turn for each message, without repairs. A message without any block has no turn."""
    found = []
    for message in messages:
        role, content = message.role, []
        if role == "tool":
            role, content = "user", [blocks.plain_result(message.tool_call_id or "", text_of(message))]
        elif (own := own_blocks(message, blocks.own, FAITHFUL)) is not None:
            content = own
        elif role in ("user", "assistant"):
            content = [blocks.text(text_of(message))] if text_of(message) else []
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
        if isinstance(block.get("text"), str):
            block["text"] = block["text"].rstrip()


def is_blank(text: str) -> bool:
    """Whether the text is empty or white space only."""
    return not text.strip()


def _is_shown(step: Step) -> bool:
    """Whether the provider sees the step. It does not see system messages, reasoning, or blank text without calls."""
    return bool(step.calls or step.own) or (
        step.message.role in ("user", "assistant") and not is_blank(text_of(step.message))
    )


def _turn(message: StoredMessage, role: str, content: list[Block]) -> Turn:
    return Turn(message.seq, message.seq, {"role": role, "content": content})
