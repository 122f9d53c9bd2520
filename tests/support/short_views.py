"""Messages of a tool exchange, and views of them in a short form that a test can compare at a glance."""

from __future__ import annotations

from typing import Any

from messagelog import AgentMessage, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.openai import to_openai

from tests.providers.logs import stored

USER = AgentMessage("user", "q")
NONE = "No result: this tool call was never answered."


def call(*ids: str, text: str = "") -> AgentMessage:
    """Returns a message of the assistant with a call for each id."""
    return AgentMessage("assistant", text, tool_calls=tuple(ToolCall(id, "f", {}) for id in ids))


def result(id: str | None, text: str, name: str | None = None) -> AgentMessage:
    """Returns the result of a call."""
    return AgentMessage("tool", text, name=name, tool_call_id=id)


def openai(*messages: AgentMessage) -> list[tuple[str, Any]]:
    """Returns the view in short: a role with a text, the ids of calls, or the id and the text of a result."""
    return [
        ("call", [call["id"] for call in entry["tool_calls"]])
        if "tool_calls" in entry
        else ("result", entry["tool_call_id"], entry["content"])
        if entry["role"] == "tool"
        else (entry["role"], entry["content"])
        for entry in to_openai(stored(messages))
    ]


def anthropic(*messages: AgentMessage) -> list[tuple[str, list[str]]]:
    """Returns the view in short: for each turn the role and its blocks, `?id` for a call, `!id` for a result."""
    short = {
        "text": lambda block: block["text"],
        "tool_use": lambda block: "?" + block["id"],
        "tool_result": lambda block: f"!{block['tool_use_id']} {block.get('content', '')}".strip(),
    }
    return [
        (turn["role"], [short[block["type"]](block) for block in turn["content"]])
        for turn in to_anthropic(stored(messages))
    ]


def bedrock(*messages: AgentMessage) -> list[tuple[str, list[str]]]:
    """Returns the view in the same short form."""
    return [
        (turn["role"], [_bedrock_block(block) for block in turn["content"]]) for turn in to_bedrock(stored(messages))
    ]


def _bedrock_block(block: dict[str, Any]) -> str:
    match block:
        case {"toolUse": {"toolUseId": id}}:
            return f"?{id}"
        case {"toolResult": {"toolUseId": id, "content": [{"text": text}]}}:
            return f"!{id} {text}"
    return str(block["text"])
