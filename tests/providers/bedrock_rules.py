"""The rules of Amazon Bedrock's Converse API, written from its public reference and its error messages.

- docs.aws.amazon.com/bedrock/latest/APIReference: API_runtime_Message, API_runtime_ContentBlock,
  API_runtime_ToolUseBlock, API_runtime_ToolResultBlock (ids and names are 1 to 64 of `[a-zA-Z0-9_-]`)
- "A conversation must start with a user message"; "A conversation must alternate between user and assistant roles":
  github.com/langchain-ai/langchain-aws/issues/130; "Expected toolResult blocks for the following Ids"
- "The text field in the ContentBlock object is blank", also in a toolResult:
  github.com/NousResearch/hermes-agent/issues/55092
- "Conversation blocks and tool result blocks cannot be provided in the same turn", of all models but Claude:
  github.com/langchain-ai/langchain-aws/issues/141
- "does not support assistant message prefill", Claude 4.6 and later: see anthropic_rules
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.providers.turn_rules import Turn, open_calls, order_faults

Message = dict[str, Any]

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def faults(messages: list[Message], *, open_end: bool = False) -> list[str]:
    """Returns every rule that the messages of a request break.

    With `open_end` they are a view: the assistant may have spoken last, and its last calls may lack results.
    """
    found = [f"unknown field {field}" for message in messages for field in message.keys() - {"role", "content"}]
    found += [f"no role {message['role']!r}" for message in messages if message["role"] not in ("user", "assistant")]
    found += [fault for message in messages for block in message["content"] for fault in _block_faults(block)]
    turns = _turns(messages)
    found += ["results and text in the same turn" for turn in turns if turn.results and "text" in turn.kinds]
    if turns and turns[-1].role == "assistant" and not open_end:
        found.append("the conversation must end with a user message")
    return found + list(order_faults(turns, open_end=open_end))


def continued(messages: list[Message]) -> list[Message]:
    """Returns the messages with what the caller adds: the results of the open calls, or else a user turn.

    They go into a user message that ends the messages, because roles alternate. A text cannot go beside results, so the
    assistant speaks between them.
    """
    turns = _turns(messages)
    results = [{"toolResult": {"toolUseId": id, "content": [{"text": "done"}]}} for id in open_calls(turns)]
    blocks = results or [{"text": "go on"}]
    if turns and turns[-1].results and not results:
        messages = [*messages, {"role": "assistant", "content": [{"text": "So."}]}]
    if messages and messages[-1]["role"] == "user":
        return [*messages[:-1], {"role": "user", "content": messages[-1]["content"] + blocks}]
    return [*messages, {"role": "user", "content": blocks}]


def _turns(messages: list[Message]) -> list[Turn]:
    turns = []
    for message in messages:
        turns.append(Turn(message["role"]))
        for block in message["content"]:
            match block:
                case {"toolUse": {"toolUseId": id}}:
                    turns[-1].put("call", id)
                case {"toolResult": {"toolUseId": id}}:
                    turns[-1].put("result", id)
                case _:
                    turns[-1].put("text")
    return turns


def _block_faults(block: Message) -> Iterator[str]:
    if len(block) != 1:
        yield "a block holds one thing"
    match block:
        case {"text": str(text)}:
            if not text.strip():
                yield "a text is blank"
        case {"toolUse": {"toolUseId": str(id), "name": str(name), "input": args, **rest}}:
            if not NAME.fullmatch(id) or not NAME.fullmatch(name):
                yield "toolUseId or name does not match the pattern"
            if not isinstance(args, dict):
                yield "input must be an object"
            yield from (f"unknown field {field}" for field in rest)
        case {"toolResult": {"toolUseId": str(), "content": list(parts), **rest}}:
            if not parts:
                yield "a toolResult without content"
            yield from (fault for part in parts for fault in _block_faults(part))
            yield from (f"unknown field {field}" for field in rest.keys() - {"status"})
        case _:
            yield f"no block: {block}"
