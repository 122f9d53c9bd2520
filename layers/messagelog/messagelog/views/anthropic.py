"""The log as turns of the Anthropic Messages API.

Sources: the API reference (platform.claude.com/docs/en/api/messages), the tool-use guide ("Handle tool calls",
formatting requirements), and the API's own error messages. The rules:

- Roles alternate, and the user comes first.
- The results of all calls of a turn stand together in the next user turn, before any text.
- The id of a call is unique and matches `^[a-zA-Z0-9_-]+$`. A tool's name has 1 to 128 of these characters.
- `input` is an object. A text block is not blank. An error result is not empty.
- A final assistant turn does not end in white space.
- System messages are the request's top-level `system`, so the view drops them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Unpack

from messagelog.messages import StoredMessage
from messagelog.views.alternation import (
    Blocks,
    begin_with_user,
    exchanges,
    is_blank,
    merged,
    plain,
    strip_end,
    written,
)
from messagelog.views.arguments import as_object
from messagelog.views.exchanges import Call
from messagelog.views.names import Ids, Names
from messagelog.views.originals import Block, Own
from messagelog.views.target import EVERYTHING, Target, ViewOptions
from messagelog.views.turns import ProviderMessage, Turn, unshared_bodies

LEGAL_ID = r"[a-zA-Z0-9_-]+"
MAX_NAME_LENGTH = 128


def to_anthropic(messages: Sequence[StoredMessage], **options: Unpack[ViewOptions]) -> list[ProviderMessage]:
    """Returns the messages as turns of the Messages API.

    If the assistant spoke last, the view ends with its turn. Claude 4.6 and later refuse a request that ends so ("does
    not support assistant message prefill", platform.claude.com/docs/en/release-notes): append a user message first.

    Args:
        messages: A part of a log, oldest first. It is not changed and shares nothing with the result.
        **options: See `Target`.

    Returns:
        Turns `{"role": "user" | "assistant", "content": [block, …]}`.
    """
    return unshared_bodies(turns(messages, Target(**options)), _call_in)


def turns(messages: Sequence[StoredMessage], target: Target = EVERYTHING) -> list[Turn]:
    """Returns the turns of `to_anthropic`, each with its place in the log."""
    if target.faithful:
        return plain(messages, _BLOCKS)
    steps = exchanges(messages, Ids(LEGAL_ID), Names(MAX_NAME_LENGTH), _OWN, target)
    turns = merged(written(steps, _BLOCKS))
    begin_with_user(turns, _BLOCKS)
    strip_end(turns)
    return turns


def _call_in(block: Block) -> Block | None:
    return block if block.get("type") == "tool_use" and "input" in block else None


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _tool_use(call: Call) -> Block:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": as_object(call.args)}


def _tool_result(call: Call) -> Block:
    """Makes a result. If the tool returned nothing, the result has no `content`."""
    block = _plain_result(call.id, call.answer)
    if is_blank(call.answer):
        del block["content"]
    if call.unanswered:
        block["is_error"] = True
    return block


def _plain_result(id: str, text: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def _own_calls(block: Block) -> Iterator[tuple[str, str]]:
    if block.get("type") == "tool_use":
        yield block["id"], block["name"]


def _renamed(block: Block, calls: list[tuple[str, str]]) -> Block:
    for id, name in calls:
        block = {**block, "id": id, "name": name}
    return block


def _is_thinking(block: Block) -> bool:
    return block.get("type") in ("thinking", "redacted_thinking")


_OWN = Own("anthropic", _own_calls, _renamed, _is_thinking)
_BLOCKS = Blocks(_text, _tool_use, _tool_result, _plain_result, _OWN)
