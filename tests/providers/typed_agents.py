"""Agents as the documents show them. Type checkers must accept them without a cast: see `test_typing`."""

from __future__ import annotations

from collections.abc import Callable

import anthropic
import boto3
import openai
from anthropic.types import ToolParam
from messagelog import AgentMessage, MessageLog, ToolCall, from_anthropic, from_bedrock, from_openai
from mypy_boto3_bedrock_runtime.type_defs import ToolTypeDef
from openai.types.chat import ChatCompletionToolParam

SYSTEM = "Be brief."


def run_with_openai(
    log: MessageLog, model: str, tools: list[ChatCompletionToolParam], run_tool: Callable[[str, object], str]
) -> None:
    """Runs tools until the model has answered."""
    log.add("user", "What time is it?")
    while True:
        reply = openai.OpenAI().chat.completions.create(model=model, messages=log.to_openai(), tools=tools)
        log.append_many(from_openai(reply))
        message = log.last()
        if message is None or not message.tool_calls:
            break
        for call in message.tool_calls:
            log.append(AgentMessage("tool", run_tool(call.name, call.args), tool_call_id=call.id))


def ask_openai(log: MessageLog, model: str) -> None:
    """Puts a system prompt before a window."""
    history = log.to_openai(last=100)
    openai.OpenAI().chat.completions.create(model=model, messages=[{"role": "system", "content": SYSTEM}, *history])


def ask_anthropic(log: MessageLog, model: str, tools: list[ToolParam]) -> AgentMessage:
    """Asks once, and returns the answer."""
    history = log.to_anthropic(max_tokens=50_000)
    reply = anthropic.Anthropic().messages.create(
        model=model, max_tokens=1024, system=SYSTEM, messages=history, tools=tools
    )
    log.append_many(from_anthropic(reply))
    return log.last(1)[-1]


def ask_bedrock(log: MessageLog, model: str, tools: list[ToolTypeDef]) -> None:
    """Asks once."""
    reply = boto3.client("bedrock-runtime").converse(
        modelId=model, system=[{"text": SYSTEM}], messages=log.to_bedrock(), toolConfig={"tools": tools}
    )
    log.append_many(from_bedrock(reply))


def call_of(cities: list[str], days: dict[str, int]) -> ToolCall:
    """Makes a call from values of narrower types than JSON."""
    return ToolCall("call_1", "weather", {"cities": cities, "days": days})


def call_with(args: dict[str, str]) -> ToolCall:
    """Makes a call whose args are of a narrower type than JSON."""
    return ToolCall("call_1", "weather", args)


def first_text(log: MessageLog) -> str:
    """Reads an entry of a view, which a program may look into."""
    entry = log.to_langchain()[0]
    return str(entry["content"])
