"""The log as messages of the Amazon Bedrock Converse API.

Rules from the API reference (docs.aws.amazon.com/bedrock/latest/APIReference: `Converse`, `Message`, `ToolUseBlock`,
`ToolResultBlock`) and from what the API answers when they are broken: roles alternate, the first is the user's; the
results of all calls of a turn stand together in the user turn right behind it; ids and names are 1 to 64 of
`a-zA-Z0-9_-`; `input` is an object; no text is blank; Claude takes no white space at the end of a final assistant turn,
here as with Anthropic. System messages are dropped: pass them as the request's `system`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from messagelog.messages import StoredMessage
from messagelog.views.alternation import Block, Dialect, is_blank, turns_in
from messagelog.views.arguments import as_object
from messagelog.views.exchanges import Call
from messagelog.views.turns import Turn, bodies

NO_OUTPUT = "(no output)"
LEGAL_ID = r"[a-zA-Z0-9_-]{1,64}"


def to_bedrock(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[dict[str, Any]]:
    """The messages as messages of the Converse API.

    The messages are not changed and share nothing with the result.

    Args:
        messages: A part of a log; a window is one that knows its `reach`.
        faithful: Give one turn for each message, without repairs.
    """
    return bodies(turns(messages, faithful=faithful))


def turns(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[Turn]:
    """`to_bedrock` with the place of each turn in the log."""
    return turns_in(_DIALECT, messages, faithful=faithful)


def _text(text: str) -> Block:
    return {"text": text}


def _tool_use(call: Call) -> Block:
    return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": as_object(call.args)}}


def _tool_result(call: Call) -> Block:
    """No `status`: only some models take it, and the text of an unanswered call says what happened."""
    return _plain_result(call.id, NO_OUTPUT if is_blank(call.answer) else call.answer)


def _plain_result(id: str, text: str) -> Block:
    return {"toolResult": {"toolUseId": id, "content": [{"text": text}]}}


_DIALECT = Dialect(_text, _tool_use, _tool_result, _plain_result, LEGAL_ID, max_name_length=64)
