"""The fields of a Chat Completions message that text and calls cannot express, as its original.

Sources: api-docs.deepseek.com/guides/thinking_mode (`reasoning_content`), openrouter.ai/docs/use-cases/reasoning-tokens
(`reasoning_details`), docs.litellm.ai/docs/reasoning_content (`thinking_blocks`, `provider_specific_fields`), and
ai.google.dev/gemini-api/docs/thought-signatures (`extra_content` of a call).
"""

from __future__ import annotations

from typing import Any

from messagelog.messages import Original, ToolCall
from messagelog.readers import originals

_FIELDS = ("reasoning_content", "reasoning_details", "thinking_blocks", "provider_specific_fields", "refusal")
_FIELDS_OF_CALLS = ("extra_content", "provider_specific_fields")
_FUNCTION = ("name", "arguments")


def original_of(fields: dict[str, Any], calls: list[ToolCall], path: str, model: object) -> Original | None:
    """Returns the further fields of an assistant's message and its `tool_calls`. None if it has no further field.

    Args:
        fields: The message.
        calls: The calls that were read from it.
        path: Its path.
        model: The model, as the reply names it.
    """
    block = _present(fields, _FIELDS)
    entries = fields.get("tool_calls") or []
    if not block and not any(_present(entry, _FIELDS_OF_CALLS) for entry in entries):
        return None
    if entries:
        block["tool_calls"] = [_call(entry, call.id) for entry, call in zip(entries, calls, strict=False)]
    return originals.original_of("openai", [(path, block)], model)


def _call(entry: dict[str, Any], id: str) -> dict[str, Any]:
    function = _present(entry["function"], _FUNCTION)
    return {"id": id, **_present(entry, ("type",)), "function": function, **_present(entry, _FIELDS_OF_CALLS)}


def _present(fields: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Returns the fields of these names that are not null."""
    return {name: fields[name] for name in names if fields.get(name) is not None}
