"""LangChain messages as messages of the log: objects, their dicts, role and content, or `(role, text)`.

Source: `langchain_core.messages` (reference.langchain.com/python/langchain_core/messages).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.readers import openai
from messagelog.readers.reading import (
    Found,
    a_list,
    a_role,
    a_text,
    an_object,
    an_optional_text,
    content_of,
    each_part,
    entries,
    joined,
    only_assistant_fields,
)
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
_CALLS = ("tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call")
_MAY_LACK_A_NAME = ("tool_call_chunk", "invalid_tool_call")
_SUMMARY_SETTINGS = ("auto", "concise", "detailed")  # platform.openai.com/docs/api-reference/responses/create


def from_langchain(messages: object) -> list[AgentMessage]:
    """Messages for the log from LangChain messages, or one of them as a model returned it.

    A refusal is text. A call that the model got wrong (`invalid_tool_calls`) keeps its arguments as text, and where it
    has no name, an empty one. What the log has no place for is left out: ids, metadata, a result's `status` and
    `artifact`. A `(role, text)` is text, not a template.
    Raises CodecError with the path of what is no text or no such message.
    """
    return [message for path, entry in entries(messages) for message in _messages(_fields(entry, path), path)]


def _fields(entry: Any, path: str) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"role": "human", "content": entry}
    if isinstance(entry, list) and len(entry) == 2:
        return {"role": entry[0], "content": entry[1]}
    fields = an_object(entry, path)
    if "data" not in fields:
        return fields
    stored = an_object(fields["data"], below(path, "data"))  # what `messages_to_dict` writes
    return {**stored, "type": fields.get("type")}


def _messages(fields: dict[str, Any], path: str) -> list[AgentMessage]:
    key = "role" if fields.get("role") is not None else "type"
    kind = a_text(fields, key, path).removesuffix("MessageChunk").lower()
    role = a_role({**fields, key: kind}, key, path, _ROLES)
    name = an_optional_text(fields, "name", path)
    where = below(path, "additional_kwargs")
    more = an_object(fields.get("additional_kwargs") or {}, where)
    if role == "assistant":
        return _assistant(fields, path, more, where).messages(role, name)
    only_assistant_fields(fields, role, path)
    only_assistant_fields(more, role, where)
    text = joined(content_of(fields, path), below(path, "content"), openai.text_of)
    if role == "tool":
        call_id = name if kind == "function" else an_optional_text(fields, "tool_call_id", path)
        return [AgentMessage(role, text, name=name, tool_call_id=call_id)]
    return [AgentMessage(role, text, name=name)]


def _assistant(fields: dict[str, Any], path: str, more: dict[str, Any], where: str) -> Found:
    """What an assistant's message holds, `more` being its `additional_kwargs`."""
    found = Found(calls=_calls(fields, path, more, where))
    for holder, place in ((fields, path), (more, where)):
        openai.no_audio(holder, place)
    refusal = an_optional_text(more, "refusal", where) or ""
    if isinstance(more.get("reasoning_content"), str):
        found.thoughts.append(more["reasoning_content"])
    found.thoughts += _thoughts(more.get("reasoning"))
    listed = {call.id for call in found.calls}
    content = content_of(fields, path, optional=found.says_something)
    for where, part in each_part(content, below(path, "content")):
        if isinstance(part, str):
            found.texts.append(part)
        else:
            _read(an_object(part, where), where, found, listed)
    found.texts.append(refusal)
    return found


def _calls(fields: dict[str, Any], path: str, more: dict[str, Any], where: str) -> list[ToolCall]:
    """All calls of a message, once each.

    In `more`, models and older versions keep the calls as OpenAI gives them, listed in `tool_calls` besides or not.
    """
    calls = _listed(fields, "tool_calls", path) + _listed(fields, "invalid_tool_calls", path)
    calls = calls or _listed(more, "tool_calls", where)
    for call in openai.function_call(fields, path) + openai.function_call(more, where):
        if call.name not in [known.name for known in calls]:
            calls.append(call)
    return calls


def _listed(fields: dict[str, Any], name: str, path: str) -> list[ToolCall]:
    where = below(path, name)
    return [_tool_call(call, f"{where}[{index}]") for index, call in enumerate(a_list(fields.get(name) or [], where))]


def _thoughts(reasoning: object) -> list[str]:
    """What a model tells of its thinking: a text, or the `summary` of OpenAI's Responses API.

    What is no text is passed over, and so is the `summary` of a request, which is one of `_SUMMARY_SETTINGS`.
    """
    summary = reasoning.get("summary") if isinstance(reasoning, dict) else reasoning
    if summary in _SUMMARY_SETTINGS:
        return []
    parts = summary if isinstance(summary, list) else [summary]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return [text for text in texts if isinstance(text, str)]


def _read(block: dict[str, Any], path: str, found: Found, listed: Collection[str]) -> None:
    """Adds what the block holds. Integrations list a call in `tool_calls` and have a block for it besides."""
    match block:
        case {"type": "reasoning", "summary": [_, *_]}:
            found.thoughts += _thoughts(block)
        case {"type": "thinking" | "reasoning" as kind, **rest}:
            thought = rest.get(kind)
            found.thoughts += [thought] if isinstance(thought, str) else []
        case {"type": "reasoning_content", "reasoning_content": {"text": str(thought)}}:
            found.thoughts.append(thought)
        case {"type": "redacted_thinking"}:
            pass
        case {"type": kind} if kind in _CALLS:
            call = _tool_call(block, path)
            found.calls += [call] if call.id not in listed else []
        case _:
            found.texts.append(openai.text_of(block, path))


def _tool_call(value: object, path: str) -> ToolCall:
    """The ToolCall of LangChain's form, of Anthropic's, or of either of OpenAI's APIs."""
    call = an_object(value, path)
    if "function" in call:
        return openai.tool_call(call, path)
    if call.get("type") == "function_call":
        return openai.named_call(an_optional_text(call, "call_id", path) or "", call, path)
    nameless = call.get("name") is None and call.get("type") in _MAY_LACK_A_NAME
    name = "" if nameless else a_text(call, "name", path)
    return ToolCall(an_optional_text(call, "id", path) or "", name, call.get("args", call.get("input")))
