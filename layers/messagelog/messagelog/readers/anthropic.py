"""Reads turns and replies of the Anthropic Messages API as messages of the log.

Sources: the API reference (platform.claude.com/docs/en/api/messages), content blocks and stream events, the types of
the SDK (`anthropic.types.ContentBlock`), and "Preserving thinking blocks"
(platform.claude.com/docs/en/build-with-claude/extended-thinking).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.readers.anthropic_files import file_of, text_of
from messagelog.readers.originals import original_of, with_original
from messagelog.readers.reading import (
    Found,
    a_message,
    a_role,
    a_text,
    an_object,
    content_of,
    each_part,
    entries,
    no_foreign_calls,
    only_assistant_calls,
    read_content,
    refuse_stream,
)
from messagelog.strictjson import below
from messagelog.views import anthropic

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_EVENTS = ("message_", "content_block_")
_WHOLE = "use `client.messages.stream(…)` and give the result of its `get_final_message()`"


def from_anthropic(messages: object) -> list[AgentMessage]:
    """Reads turns of the Messages API, or a whole Message.

    Each `tool_result` becomes a message of its own, before the text of its turn. Images and documents become files. An
    assistant's turn keeps its blocks as the `original`, unless its text and calls already express them: thinking with
    its signature, encrypted thinking, citations, and the calls and results of tools that the server ran. The log has no
    place for a result's `is_error`, cache marks, and a document's `context`, so these are left out.

    Args:
        messages: One turn, a sequence of turns, or a reply, as dicts or objects of the SDK.

    Raises:
        CodecError: A block is neither text nor a file that a message can hold, or a turn is not valid. The error has
            its path.
    """
    return [message for path, entry in entries(messages) for message in _messages(a_message(entry, path), path)]


def _messages(turn: dict[str, Any], path: str) -> list[AgentMessage]:
    if str(turn.get("type")).startswith(_EVENTS):
        refuse_stream(path, _WHOLE)
    role = a_role(turn, "role", path, _ROLES)
    no_foreign_calls(turn, path)
    if role == "assistant":
        return _assistant(turn, path)
    found = Found()
    for where, block in each_part(content_of(turn, path, optional=False), below(path, "content")):
        if isinstance(block, str):
            found.texts.append(block)
        else:
            _read(an_object(block, where), where, found)
        only_assistant_calls(found.calls, role, where)
    return found.messages(role)


def _assistant(turn: dict[str, Any], path: str) -> list[AgentMessage]:
    found = Found()
    blocks = []
    for where, part in each_part(turn.get("content"), below(path, "content")):
        block = {"type": "text", "text": part} if isinstance(part, str) else an_object(part, where)
        blocks.append((where, block))
        if not is_only_in_the_original(block):
            _read(block, where, found)
    original = original_of("anthropic", _sent_by_the_model(blocks), turn.get("model"))
    return found.messages("assistant", complete=lambda message: with_original(message, original, anthropic.turns))


def is_of_server_tool(block: dict[str, Any]) -> bool:
    """Whether the block of a model's turn is the call or the result of a tool that the server itself ran."""
    kind = str(block.get("type"))
    return kind in ("server_tool_use", "mcp_tool_use") or kind.endswith("_tool_result")


def is_only_in_the_original(block: dict[str, Any]) -> bool:
    """Whether the block of a model's turn says something to the server alone.

    `BetaContentBlock` lists such blocks. A block of a type that is not known yet counts as one, so that a reply with a
    new block can be kept and goes back complete.
    """
    known = ("text", "thinking", "tool_use", "tool_result", "image", "document")
    return is_of_server_tool(block) or (isinstance(block.get("type"), str) and block["type"] not in known)


def _sent_by_the_model(blocks: list[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the blocks without the caller's cache marks, and without thinking that broke off before its signature."""
    for where, block in blocks:
        if block.get("type") != "thinking" or block.get("signature"):
            yield where, {name: value for name, value in block.items() if name != "cache_control"}


def _read(block: dict[str, Any], path: str, found: Found) -> None:
    file = file_of(block, path)
    if file is not None:
        found.add_file(file)
        return
    match block.get("type"):
        case "thinking":
            found.thoughts.append(a_text(block, "thinking", path))
        case "redacted_thinking":
            pass
        case "tool_use":
            found.calls.append(ToolCall(a_text(block, "id", path), a_text(block, "name", path), block.get("input")))
        case "tool_result":
            content = read_content(block.get("content"), below(path, "content"), file_of, text_of)
            found.results.append(content.message("tool", call_id=a_text(block, "tool_use_id", path)))
        case _:
            found.texts.append(text_of(block, path))
