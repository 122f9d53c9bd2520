"""LangChain messages as messages of the log: objects, their dicts, role and content, or `(role, text)`.

Source: `langchain_core.messages` (reference.langchain.com/python/langchain_core/messages).
"""

from __future__ import annotations

from typing import Any

from messagelog.incoming import openai
from messagelog.incoming.reading import (
    NOT_TEXT,
    Found,
    a_list,
    a_role,
    a_text,
    an_object,
    an_optional_text,
    each_part,
    entries,
    joined,
    refuse,
)
from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.strictjson import below

_ROLES: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


def from_langchain(messages: object) -> list[AgentMessage]:
    """Messages for the log from LangChain messages, or one of them as a model returned it.

    A call whose arguments the model got wrong (`invalid_tool_calls`) keeps them as text. What the log has no place for
    is left out: ids, metadata, a result's `status` and `artifact`. A `(role, text)` is text, not a template.
    Raises CodecError with the path of what is no text or no such message.
    """
    return [message for path, entry in entries(messages) for message in _messages(_fields(entry, path), path)]


def _fields(entry: Any, path: str) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"role": "human", "content": entry}
    if isinstance(entry, list) and len(entry) == 2:
        return {"role": entry[0], "content": entry[1]}
    fields = an_object(entry, path)
    stored = fields.get("data")  # what `messages_to_dict` writes
    return {**stored, "type": fields.get("type")} if isinstance(stored, dict) else fields


def _messages(fields: dict[str, Any], path: str) -> list[AgentMessage]:
    key = "role" if fields.get("role") is not None else "type"
    kind = a_text(fields, key, path).removesuffix("MessageChunk").lower()
    role = a_role({**fields, key: kind}, key, path, _ROLES)
    name = an_optional_text(fields, "name", path)
    if role == "assistant":
        return _assistant(fields, path).messages(role, name)
    text = joined(fields.get("content"), below(path, "content"), _text_of)
    if role == "tool":
        call_id = name if kind == "function" else an_optional_text(fields, "tool_call_id", path)
        return [AgentMessage(role, text, name=name, tool_call_id=call_id)]
    return [AgentMessage(role, text, name=name)]


def _assistant(fields: dict[str, Any], path: str) -> Found:
    found = Found()
    for field in ("tool_calls", "invalid_tool_calls"):
        where = below(path, field)
        for index, call in enumerate(a_list(fields.get(field) or [], where)):
            found.calls.append(_tool_call(call, f"{where}[{index}]"))
    thought = (fields.get("additional_kwargs") or {}).get("reasoning_content")
    if isinstance(thought, str):
        found.thoughts.append(thought)
    for where, part in each_part(fields.get("content"), below(path, "content")):
        if isinstance(part, str):
            found.texts.append(part)
        else:
            _read(an_object(part, where), where, found)
    return found


def _read(block: dict[str, Any], path: str, found: Found) -> None:
    match block:
        case {"type": "thinking" | "reasoning" as kind, **rest}:
            thought = rest.get(kind)
            found.thoughts += [thought] if isinstance(thought, str) else []
        case {"type": "reasoning_content", "reasoning_content": {"text": str(thought)}}:
            found.thoughts.append(thought)
        case {"type": "redacted_thinking"}:
            pass
        case {"type": "tool_use" | "tool_call", **call}:
            # Integrations also list such a block in `tool_calls`.
            if call.get("id") not in {known.id for known in found.calls}:
                args = {"args": call.get("input"), **call}
                found.calls.append(_tool_call(args, path))
        case _:
            found.texts.append(_text_of(block, path))


def _tool_call(value: object, path: str) -> ToolCall:
    call = an_object(value, path)
    if "function" in call:
        return openai.tool_call(call, path)
    return ToolCall(an_optional_text(call, "id", path) or "", a_text(call, "name", path), call.get("args"))


def _text_of(block: dict[str, Any], path: str) -> str:
    return a_text(block, "text", path) if block.get("type") == "text" else refuse(path, NOT_TEXT)
