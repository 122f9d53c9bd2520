"""The log as messages of the Amazon Bedrock Converse API.

Sources: the API reference (docs.aws.amazon.com/bedrock/latest/APIReference: `Converse`, `Message`, `ToolUseBlock`,
`ToolResultBlock`) and the API's own error messages. The rules:

- Roles alternate, and the user comes first.
- The results of all calls of a turn stand together in the next user turn, and nothing else stands there: "Conversation
  blocks and tool result blocks cannot be provided in the same turn" (github.com/langchain-ai/langchain-aws/issues/141).
  Only Claude accepts text there too. So the view puts a short assistant turn between the results and a user's text.
- The id of a call is unique. Ids and tools' names have 1 to 64 of `a-zA-Z0-9_-`.
- `input` is an object. No text is blank, in a result either.
- A final assistant turn does not end in white space (a rule of Claude).
- System messages are the request's `system`, so the view drops them.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
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

NO_OUTPUT = "(no output)"
RESULTS_RECEIVED = "(Tool results received.)"
LEGAL_ID = r"[a-zA-Z0-9_-]{1,64}"
MAX_NAME_LENGTH = 64


def to_bedrock(messages: Sequence[StoredMessage], **options: Unpack[ViewOptions]) -> list[ProviderMessage]:
    """Returns the messages as messages of the Converse API.

    If the assistant spoke last, the view ends with its turn, which Claude 4.6 and later refuse: see `to_anthropic`.

    Args:
        messages: A part of a log, oldest first. It is not changed and shares nothing with the result.
        **options: See `Target`.

    Returns:
        Messages `{"role": "user" | "assistant", "content": [block, …]}`. Bytes are bytes, as boto3 takes them.
    """
    shown = unshared_bodies(turns(messages, Target(**options)), _call_in)
    for body in shown:
        body["content"] = [with_bytes(block) for block in body["content"]]
    return shown


def turns(messages: Sequence[StoredMessage], target: Target = EVERYTHING) -> list[Turn]:
    """Returns the messages of `to_bedrock`, each with its place in the log. Bytes are base64, as in JSON."""
    if target.faithful:
        return plain(messages, _BLOCKS)
    steps = exchanges(messages, Ids(LEGAL_ID), Names(MAX_NAME_LENGTH), _OWN, target)
    turns = merged(_with_results_alone(written(steps, _BLOCKS)))
    begin_with_user(turns, _BLOCKS)
    strip_end(turns)
    return turns


def with_bytes(block: Block) -> Block:
    """Returns a content block with bytes in place of their base64, in each member that the API types as a blob."""
    if "text" in block or "toolUse" in block or _is_text_result(block):  # most blocks, and a match is slow
        return block
    match block:
        case {"reasoningContent": {"redactedContent": str(data)}}:
            return {"reasoningContent": {"redactedContent": _decoded(data)}}
        case {"guardContent": {"image": _} as content}:
            return {"guardContent": with_bytes(content)}
        case {"image": {"source": {"bytes": _}}} | {"document": {"source": {"bytes": _}}}:
            return _with_source_bytes(block)
        case {"video": {"source": {"bytes": _}}} | {"audio": {"source": {"bytes": _}}}:
            return _with_source_bytes(block)
        case {"toolResult": {"content": list(parts)} as result}:
            return {"toolResult": {**result, "content": [with_bytes(part) for part in parts]}}
    return block


def _is_text_result(block: Block) -> bool:
    result = block.get("toolResult")
    parts = result.get("content") if isinstance(result, dict) else None
    return isinstance(parts, list) and all(isinstance(part, dict) and "text" in part for part in parts)


def _call_in(block: Block) -> Block | None:
    call = block.get("toolUse")
    return call if isinstance(call, dict) and "input" in call else None


def _with_source_bytes(block: Block) -> Block:
    [(member, fields)] = block.items()
    return {member: {**fields, "source": {"bytes": _decoded(fields["source"]["bytes"])}}}


def _decoded(data: object) -> object:
    """Returns the bytes of base64. Anything else stays as it is, and boto3 says what is wrong with it."""
    try:
        return b64decode(data, validate=True) if isinstance(data, str) else data
    except ValueError:
        return data


def _with_results_alone(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Puts a short assistant turn between results and a user's text.

    Its place is that of the results. So a page can begin after it, with the text, but not before it.
    """
    results: Turn | None = None
    for turn in turns:
        if results and turn.body["role"] == "user":
            yield Turn(results.first, results.last, {"role": "assistant", "content": [_text(RESULTS_RECEIVED)]})
        yield turn
        is_user = turn.body["role"] == "user"
        results = turn if is_user and "toolResult" in turn.body["content"][0] else None


def _text(text: str) -> Block:
    return {"text": text}


def _tool_use(call: Call) -> Block:
    return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": as_object(call.args)}}


def _tool_result(call: Call) -> Block:
    """Makes a result without `status`, which only some models accept. The text says that a call was not answered."""
    return _plain_result(call.id, NO_OUTPUT if is_blank(call.answer) else call.answer)


def _plain_result(id: str, text: str) -> Block:
    return {"toolResult": {"toolUseId": id, "content": [{"text": text}]}}


def _own_calls(block: Block) -> Iterator[tuple[str, str]]:
    if "toolUse" in block and block["toolUse"].get("type") != "server_tool_use":
        yield block["toolUse"]["toolUseId"], block["toolUse"]["name"]


def _renamed(block: Block, calls: list[tuple[str, str]]) -> Block:
    for id, name in calls:
        block = {"toolUse": {**block["toolUse"], "toolUseId": id, "name": name}}
    return block


def _is_thinking(block: Block) -> bool:
    return "reasoningContent" in block


_OWN = Own("bedrock", _own_calls, _renamed, _is_thinking)
_BLOCKS = Blocks(_text, _tool_use, _tool_result, _plain_result, _OWN)
