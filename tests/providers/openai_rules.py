"""The rules of OpenAI's Chat Completions, written from its public reference and its error messages.

- platform.openai.com/docs/api-reference/chat/create: fields by role, `tool_calls`, `name`
- "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
  "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
- string_above_max_length, ids over 40 characters: github.com/pydantic/pydantic-ai/issues/4389
- "Invalid value for 'content': expected a string, got null": github.com/songquanpeng/one-api/issues/784
- array_above_max_length, "Invalid 'messages[2].tool_calls': array too long. Expected an array with maximum length 128":
  github.com/openai/openai-dotnet/issues/317
- `arguments` that are not the text of a JSON object: OpenAI takes them, but servers that parse them do not (vLLM,
  vllm/entrypoints/chat_utils.py, `_postprocess_messages`)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]

FIELDS = {
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def faults(messages: list[Message], *, open_end: bool = False) -> list[str]:
    """Returns every rule that the messages of a request break.

    With `open_end` the last calls may lack results, as in a view whose caller is about to run them.
    """
    found = [] if messages else ["messages is empty"]
    waiting: list[str] = []
    for index, message in enumerate(messages):
        found += [f"messages[{index}]: {fault}" for fault in _message_faults(message)]
        if message["role"] != "tool":
            if waiting:
                found.append(f"messages[{index}]: no tool message for {waiting}")
            waiting = [call["id"] for call in message.get("tool_calls", ())]
        elif message["tool_call_id"] in waiting:
            waiting.remove(message["tool_call_id"])
        else:
            found.append(f"messages[{index}]: a tool message without a preceding call")
    if waiting and not open_end:
        found.append(f"at the end: no tool message for {waiting}")
    return found


def continued(messages: list[Message]) -> list[Message]:
    """Returns the messages with what the caller adds: the results of the open calls, or else a user message."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        waiting += [call["id"] for call in message.get("tool_calls", ())]
    results = [{"role": "tool", "tool_call_id": id, "content": "done"} for id in waiting]
    return messages + (results or [{"role": "user", "content": "go on"}])


def _message_faults(message: Message) -> Iterator[str]:
    role, content = message["role"], message["content"]
    if role not in FIELDS:
        yield f"no role {role!r}"
        return
    yield from (f"unknown field {field}" for field in message.keys() - FIELDS[role])
    if not isinstance(content, str) and not (content is None and "tool_calls" in message):
        yield "content must be text"
    if "name" in message and not NAME.fullmatch(message["name"]):
        yield "name does not match the pattern"
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield "tool_call_id is missing"
    if message.get("tool_calls") == []:
        yield "tool_calls is empty"
    if len(message.get("tool_calls", ())) > 128:
        yield "tool_calls: array too long"
    for call in message.get("tool_calls", ()):
        yield from _call_faults(call)


def _call_faults(call: Message) -> Iterator[str]:
    if call.keys() != {"id", "type", "function"} or call["type"] != "function":
        yield "a call has id, type and function"
    if not 1 <= len(call["id"]) <= 40:
        yield "a call id has 1 to 40 characters"
    function = call["function"]
    if function.keys() != {"name", "arguments"}:
        yield "a function has name and arguments"
    if not NAME.fullmatch(function["name"]):
        yield "the name of a function does not match the pattern"
    if not _holds_object(function["arguments"]):
        yield "arguments must be the text of a JSON object"


def _holds_object(text: object) -> bool:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        return isinstance(text, str) and isinstance(json.loads(text, parse_constant=refuse), dict)
    except ValueError:
        return False
