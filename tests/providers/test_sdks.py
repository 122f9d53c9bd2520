"""A broken conversation continues with each provider's own SDK, over HTTP, against the provider's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import boto3
import openai
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ParamValidationError
from messagelog import AgentMessage, MessageLog, ToolCall
from messagelog.memory import MemoryStorage
from messagelog.readers import from_anthropic, from_bedrock, from_openai
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.openai import to_openai

from tests.providers.endpoints import endpoints

BROKEN = [
    AgentMessage("assistant", "Hello! ", name="Greeter Bot"),
    AgentMessage("user", "What time is it?", name="Ann Lee"),
    AgentMessage(
        "assistant", "", tool_calls=(ToolCall("functions.clock:0", "time.clock", "now"), ToolCall("", "f", None))
    ),
    AgentMessage("user", " "),
    AgentMessage("tool", "", tool_call_id="clock:0"),
    AgentMessage("reasoning", "They asked twice."),
    AgentMessage("tool", "late", tool_call_id="x" * 80),
    AgentMessage("user", "Hello?"),
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with endpoints() as url:
        yield url


@pytest.fixture
def log() -> MessageLog:
    log = MessageLog(MemoryStorage())
    log.append_many(BROKEN)
    return log


def ask_openai(url: str) -> Callable[[list[dict[str, Any]]], Any]:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    return lambda messages: client.chat.completions.create(model="m", messages=messages)  # type: ignore[arg-type]


def ask_anthropic(url: str) -> Callable[[list[dict[str, Any]]], Any]:
    client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
    return lambda messages: client.messages.create(model="m", max_tokens=9, messages=messages)  # type: ignore[arg-type]


def ask_bedrock(url: str) -> Callable[[list[dict[str, Any]]], Any]:
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=Config(retries={"max_attempts": 1}),
    )
    return lambda messages: client.converse(modelId="m", messages=messages)


PROVIDERS = [
    pytest.param(ask_openai, to_openai, from_openai, openai.BadRequestError, id="openai"),
    pytest.param(ask_anthropic, to_anthropic, from_anthropic, anthropic.BadRequestError, id="anthropic"),
    pytest.param(ask_bedrock, to_bedrock, from_bedrock, (ClientError, ParamValidationError), id="bedrock"),
]
every_provider = pytest.mark.parametrize(("connect", "show", "read", "refusal"), PROVIDERS)


@every_provider
def test_the_conversation_continues(
    url: str, log: MessageLog, connect: Any, show: Any, read: Any, refusal: Any
) -> None:
    ask = connect(url)
    log.append_many(read(ask(show(log.all()))))
    call = log.all()[-1].tool_calls[0]
    log.append(AgentMessage("tool", "12:00", tool_call_id=call.id))
    log.append_many(read(ask(show(log.all()))))
    assert log.all()[-1].content == "It is noon."
    log.add("user", "Thanks.")
    log.append_many(read(ask(show(log.all()))))


@every_provider
def test_the_provider_refuses_it_without_repairs(
    url: str, log: MessageLog, connect: Any, show: Any, read: Any, refusal: Any
) -> None:
    with pytest.raises(refusal):
        connect(url)(show(log.all(), faithful=True))
