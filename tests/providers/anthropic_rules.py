"""The rules of Anthropic's Messages API, written from its public reference and its error messages.

- platform.claude.com/docs/en/api/messages: turns, blocks, patterns. The API joins turns of one role. A view promises to
  have joined them, and that is checked here.
- the tool-use guide, formatting requirements: results directly after their calls, first in the content
- "tool_use ids must be unique": github.com/anomalyco/opencode/issues/1279
- "text content blocks must contain non-whitespace text": github.com/anthropics/claude-code/issues/23440
- "final assistant content cannot end with trailing whitespace": github.com/langchain-ai/langchain/issues/35071
- "content cannot be empty if is_error is true": github.com/bytedance/trae-agent/issues/230
- "does not support assistant message prefill", Claude 4.6 and later: platform.claude.com/docs/en/release-notes,
  github.com/anthropics/claude-code/issues/52433
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.providers.turn_rules import Turn, open_calls, order_faults

Message = dict[str, Any]

ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def faults(messages: list[Message], *, open_end: bool = False) -> list[str]:
    """Returns every rule that the messages of a request break.

    With `open_end` they are a view: the assistant may have spoken last, and its last calls may lack results.
    """
    found = [f"unknown field {field}" for message in messages for field in message.keys() - {"role", "content"}]
    found += [f"no role {message['role']!r}" for message in messages if message["role"] not in ("user", "assistant")]
    found += [fault for message in messages for block in _blocks(message) for fault in _block_faults(block)]
    found += order_faults(_turns(messages), open_end=open_end)
    last = _blocks(messages[-1])[-1:] if messages and messages[-1]["role"] == "assistant" else []
    if last and last[0].get("text", "").rstrip() != last[0].get("text", ""):
        found.append("the final assistant turn ends in white space")
    if last and not open_end:
        found.append("the conversation must end with a user message")
    return found


def continued(messages: list[Message]) -> list[Message]:
    """Returns the messages with what the caller adds: the results of the open calls, or else a user turn.

    They go into a user turn that ends the messages, as the API itself joins turns of one role.
    """
    results = [{"type": "tool_result", "tool_use_id": id, "content": "done"} for id in open_calls(_turns(messages))]
    blocks = results or [{"type": "text", "text": "go on"}]
    if messages and messages[-1]["role"] == "user":
        return [*messages[:-1], {"role": "user", "content": _blocks(messages[-1]) + blocks}]
    return [*messages, {"role": "user", "content": blocks}]


def _blocks(message: Message) -> list[Message]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _turns(messages: list[Message]) -> list[Turn]:
    turns = []
    for message in messages:
        turns.append(Turn(message["role"]))
        for block in _blocks(message):
            match block["type"]:
                case "tool_use":
                    turns[-1].put("call", block["id"])
                case "tool_result":
                    turns[-1].put("result", block["tool_use_id"])
                case kind:
                    turns[-1].put(kind)
    return turns


def _block_faults(block: Message) -> Iterator[str]:
    match block:
        case {"type": "text", "text": str(text), **rest}:
            if not text.strip():
                yield "a text block is blank"
        case {"type": "tool_use", "id": str(id), "name": str(name), "input": args, **rest}:
            if not ID.fullmatch(id):
                yield "tool_use.id does not match the pattern"
            if not NAME.fullmatch(name):
                yield "tool_use.name does not match the pattern"
            if not isinstance(args, dict):
                yield "tool_use.input must be a dictionary"
        case {"type": "tool_result", "tool_use_id": str(), **rest}:
            content = rest.pop("content", [])
            if rest.pop("is_error", False) and not content:
                yield "an error result is empty"
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            yield from (fault for part in parts for fault in _block_faults(part))
        case _:
            yield f"no block: {block}"
            return
    yield from (f"unknown field {field}" for field in rest)
