"""The model's own turns: decides when a turn is sent back to its API unchanged, and with which blocks.

Several APIs only accept a history that holds their own turns unchanged. Claude's thinking is only valid after the same
earlier messages ("Thinking blocks cannot be modified",
platform.claude.com/docs/en/build-with-claude/extended-thinking); the newest
models refuse a request in which those changed. So the views of Anthropic and Bedrock leave out thinking that would be
refused. `with_thinking` and `Messages.same_start_from` say which thinking that is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from messagelog.messages import StoredMessage
from messagelog.strictjson import copied
from messagelog.views.exchanges import Step
from messagelog.views.target import Target

Block: TypeAlias = dict[str, Any]

# The parts of a model's name that do not tell models apart: dates, "latest", Bedrock's versions, regions and vendors
# ("Supported foundation models", "Geographic cross-Region inference" in the Bedrock user guide).
_SUFFIX = re.compile(r"(?:-\d{8}|-\d{4}-\d\d-\d\d|-latest|-v\d+(?::\d+)?|:\d+)$")
_PREFIX = re.compile(
    r"^(?:(?:us-gov|us|eu|apac|ap|au|ca|jp|sa|me|af|global)\.)?"
    r"(?:(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|openai|qwen|writer|moonshot|minimax|google|nvidia|zai)\.)"
)


class Own(NamedTuple):
    """The form of an API's own turns.

    Attributes:
        api: Its name in `Original.api`.
        calls: Yields the id and the name of each call in a block that the caller is to run.
        renamed: Returns the block with these ids and names in place of those that `calls` yields.
        is_thinking: Whether the block is thinking that is only valid after the same earlier messages.
    """

    api: str
    calls: Callable[[Block], Iterable[tuple[str, str]]]
    renamed: Callable[[Block, list[tuple[str, str]]], Block]
    is_thinking: Callable[[Block], bool] = lambda block: False


def own_blocks(message: StoredMessage, own: Own, target: Target) -> list[Block] | None:
    """Returns a copy of the blocks of a model's own turn, or None if the turn is not sent back.

    It is sent back if the view is for the API that made it, `target.model` is not another model, `target.reasoning` is
    not false, and the ids of its calls are those of the message, in order. A faithful view only checks the API.
    """
    original = message.original
    if original is None or message.role != "assistant" or original.api != own.api:
        return None
    if not all(isinstance(block, dict) for block in original.blocks):
        return None
    blocks: Any = copied(original.blocks, "")
    if target.faithful:
        return list(blocks)
    if target.reasoning is False or differ(original.model, target.model):
        return None
    return list(blocks) if _ids_of_calls(blocks, own) == [call.id for call in message.tool_calls] else None


def _ids_of_calls(blocks: Iterable[Block], own: Own) -> list[str] | None:
    """Returns the ids of the calls in the blocks, None if a call is malformed: the log does not check blocks."""
    try:
        return [id for block in blocks for id, _ in own.calls(block)]
    except (AttributeError, LookupError, TypeError):
        return None


def renamed(blocks: list[Block], step: Step, own: Own) -> list[Block]:
    """Returns the blocks of a step with the ids and names that its calls have in the view."""
    calls = iter(step.calls)
    return [own.renamed(block, [_id_and_name(next(calls)) for _ in own.calls(block)]) for block in blocks]


def with_thinking(steps: Iterable[Step], same_start_from: int) -> Iterable[tuple[Step, bool]]:
    """Yields each step, and whether the thinking of its turn still follows the same messages as when it was made.

    It does not if a result that came after the turn is before it in the view, or if the turn was made before
    `same_start_from`, in a window with another start.
    """
    latest_result = 0
    for step in steps:
        seq = step.message.seq
        yield step, latest_result < seq and seq >= same_start_from
        for call in step.calls:
            latest_result = max([latest_result, *(result.seq for result in call.results)])


def differ(made_by: str | None, wanted: str | None) -> bool:
    """Whether two names of models are known to name different models."""
    return made_by is not None and wanted is not None and _family(made_by) != _family(wanted)


def _family(model: str) -> str:
    """Returns a model's name without the parts that do not tell models apart."""
    name = _PREFIX.sub("", model.rpartition("/")[2] if model.startswith("arn:") else model)
    while (shorter := _SUFFIX.sub("", name)) != name:
        name = shorter
    return name


def _id_and_name(call: Any) -> tuple[str, str]:
    return call.id, call.name
