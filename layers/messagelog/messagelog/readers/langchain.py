"""Reads LangChain messages as messages of the log: objects, their dicts, role and content, or `(role, text)`.

Sources: `langchain_core.messages` (reference.langchain.com/python/langchain_core/messages) with its `content` and its
`block_translators`, which show the blocks that the integrations leave in a message.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from messagelog.messages import AgentMessage, File, Role, ToolCall
from messagelog.readers import openai
from messagelog.readers.anthropic import is_of_server_tool
from messagelog.readers.langchain_files import file_of
from messagelog.readers.reading import (
    Found,
    a_list,
    a_message,
    a_role,
    a_text,
    an_object,
    an_optional_text,
    content_of,
    each_part,
    entries,
    only_assistant_fields,
    read_content,
    refuse,
    refuse_stream,
    texts_in,
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
_OF_SERVER_TOOLS = ("server_tool_call", "server_tool_call_chunk", "server_tool_result")
_SUMMARY_SETTINGS = ("auto", "concise", "detailed")  # platform.openai.com/docs/api-reference/responses/create


def from_langchain(messages: object) -> list[AgentMessage]:
    """Reads LangChain messages, or a message that a model returned.

    A refusal becomes text. A malformed call (`invalid_tool_calls`) keeps its arguments as text, and gets an
    empty name if its name is missing. A `(role, text)` in a list is text, not a template. Images, audio, video and
    files become files. The log has no place for ids, metadata, signatures, cache marks, the calls and results of tools
    that the server ran, and a result's `status` and `artifact`, so these are left out, and there is no `original`.

    Args:
        messages: One message or a sequence of messages.

    Raises:
        CodecError: A part is neither text nor a file that a message can hold, or a message is not valid. The error has
            its path.
    """
    found = list(entries(messages))
    _refuse_pair([entry for _, entry in found])
    _refuse_chunks(found)
    return [message for path, entry in found for message in _messages(_fields(entry, path), path)]


def _refuse_pair(entries: list[Any]) -> None:
    """Refuses a single `(role, text)`, because it would be read as two messages of a user."""
    match entries:
        case [str(role), str()] if role in _ROLES:
            refuse("", 'is one (role, text), and this takes a list of messages: [("human", "…")]')


def _refuse_chunks(found: list[tuple[str, Any]]) -> None:
    """Refuses the chunks of a stream, because each chunk would become a message."""
    chunks = [path for path, entry in found if isinstance(entry, dict) and entry.get("type") == "AIMessageChunk"]
    if len(chunks) > 1:
        refuse_stream(chunks[1], "add the chunks together (`chunk + chunk`) and give the sum")


def _fields(entry: Any, path: str) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"role": "human", "content": entry}
    if isinstance(entry, list) and len(entry) == 2:
        return {"role": entry[0], "content": entry[1]}
    fields = a_message(entry, path)
    if "data" not in fields:
        return fields
    stored = an_object(fields["data"], below(path, "data"))  # the form that `messages_to_dict` writes
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
    found = read_content(content_of(fields, path, optional=False), below(path, "content"), _file_of, _text_of)
    if role == "tool":
        call_id = name if kind == "function" else an_optional_text(fields, "tool_call_id", path)
        return [found.message(role, name, call_id)]
    return [found.message(role, name)]


def _assistant(fields: dict[str, Any], path: str, more: dict[str, Any], where: str) -> Found:
    """Returns what an assistant's message holds. `more` is its `additional_kwargs`, and `where` their path."""
    found = Found(calls=_calls(fields, path, more, where))
    for holder, place in ((fields, path), (more, where)):
        openai.no_audio(holder, place)
    if isinstance(more.get("reasoning_content"), str):
        found.thoughts.append(more["reasoning_content"])
    found.thoughts += _summary(more.get("reasoning"))
    listed = {call.id for call in found.calls}
    for place, part in each_part(fields.get("content"), below(path, "content")):
        if isinstance(part, str):
            found.texts.append(part)
        else:
            _read(an_object(part, place), place, found, listed)
    found.texts.append(an_optional_text(more, "refusal", where) or "")
    return found


def _calls(fields: dict[str, Any], path: str, more: dict[str, Any], where: str) -> list[ToolCall]:
    """Returns all calls of a message, each once.

    Models and older versions also keep the calls in `more`, in OpenAI's form, even if `tool_calls` lists them.
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


def _summary(reasoning: object) -> list[str]:
    """Returns a model's thinking: a text, or the `summary` of OpenAI's Responses API.

    The `summary` of a request is a setting, so it is not read as thinking.
    """
    summary = reasoning.get("summary") if isinstance(reasoning, dict) else reasoning
    return [] if summary in _SUMMARY_SETTINGS else texts_in(summary)


def _read(block: dict[str, Any], path: str, found: Found, listed: Collection[str]) -> None:
    """Adds the content of a block. Integrations list a call in `tool_calls`, and also have a block for it."""
    match block:
        case {"type": "reasoning", "summary": [_, *_]}:
            found.thoughts += _summary(block)
        case {"type": "thinking" | "reasoning" as kind, **rest}:
            found.thoughts.append("".join(texts_in(rest.get(kind))))
        case {"type": "reasoning_content", **rest}:  # Bedrock; it may hold a signature only
            found.thoughts += texts_in([rest.get("reasoning_content")])
        case {"type": "redacted_thinking"}:
            pass
        case {"type": "input_json_delta"} if listed:  # a piece of a listed call: langchainjs/issues/9798
            pass
        case {"type": "input_json_delta"}:
            refuse(path, "is a piece of a tool call: give the message that is the sum of all chunks of the stream")
        case {"type": kind} if kind in _CALLS:
            call = _tool_call(block, path)
            found.calls += [call] if call.id not in listed else []
        case _ if block.get("type") in _OF_SERVER_TOOLS or is_of_server_tool(block):
            pass
        case _ if (file := _file_of(block, path)) is not None:
            found.add_file(file)
        case _:
            found.texts.append(_text_of(block, path))


def _file_of(block: dict[str, Any], path: str) -> File | None:
    """Returns the file of a block, None if the block has none. A `text-plain` block with its text is text."""
    match block:
        case {"type": "text-plain", "text": str()}:
            return None
    return file_of(block, path)


def _text_of(block: dict[str, Any], path: str) -> str:
    """Returns the text of a block of any message. A mark for a provider's prompt cache has no text."""
    match block:
        case {"type": "text-plain", "text": str(text)}:
            return text
        case {"cachePoint": _} | {"type": "cachePoint" | "cache_point"}:  # ChatBedrockConverse.create_cache_point
            return ""
        case {"type": _}:
            return openai.text_of(block, path)
        case {"text": str(text)}:  # Bedrock's own form: langchain_core.messages.block_translators.bedrock_converse
            return text
        case {"index": _} if len(block) == 1:  # left by a stream: github.com/langchain-ai/langchain/pull/36725
            return ""
    return openai.text_of(block, path)


def _tool_call(value: object, path: str) -> ToolCall:
    """Returns the ToolCall of a call in the form of LangChain, of Anthropic, or of one of OpenAI's APIs."""
    call = an_object(value, path)
    if "function" in call:
        return openai.tool_call(call, path)
    if call.get("type") == "function_call":
        return openai.named_call(an_optional_text(call, "call_id", path) or "", call, path)
    nameless = call.get("name") is None and call.get("type") in _MAY_LACK_A_NAME
    name = "" if nameless else a_text(call, "name", path)
    return ToolCall(an_optional_text(call, "id", path) or "", name, call.get("args", call.get("input")))
