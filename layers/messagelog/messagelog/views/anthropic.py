"""The log as turns of the Anthropic Messages API.

Rules from the API reference (platform.claude.com/docs/en/api/messages), the tool-use guide ("Handle tool calls",
formatting requirements) and from what the API answers when they are broken: the first turn is the user's; the results
of all calls of a turn stand together in the user turn right behind it, before any text; ids are unique and match
`^[a-zA-Z0-9_-]+$`; `input` is an object; a text block is not blank; an error result is not empty; the final assistant
turn does not end in white space. System messages are dropped: pass them as the request's top-level `system`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from messagelog.messages import StoredMessage
from messagelog.views.alternation import Block, Dialect, is_blank, turns_in
from messagelog.views.arguments import as_object
from messagelog.views.exchanges import Call
from messagelog.views.turns import Turn, bodies

LEGAL_ID = r"[a-zA-Z0-9_-]+"


def to_anthropic(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[dict[str, Any]]:
    """The messages as turns of the Messages API, each with a list of content blocks.

    The messages are not changed and share nothing with the result.

    Args:
        messages: A part of a log; a window is one that knows its `reach`.
        faithful: Give one turn for each message, without repairs.
    """
    return bodies(turns(messages, faithful=faithful))


def turns(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[Turn]:
    """`to_anthropic` with the place of each turn in the log."""
    return turns_in(_DIALECT, messages, faithful=faithful)


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _tool_use(call: Call) -> Block:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": as_object(call.args)}


def _tool_result(call: Call) -> Block:
    """A tool that gave nothing back has a result without content."""
    block = _plain_result(call.id, call.answer)
    if is_blank(call.answer):
        del block["content"]
    if call.unanswered:
        block["is_error"] = True
    return block


def _plain_result(id: str, text: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


_DIALECT = Dialect(_text, _tool_use, _tool_result, _plain_result, LEGAL_ID, max_name_length=128)
