"""The README's example for each provider runs as it stands, against endpoints that refuse what the real ones refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from messagelog import AgentMessage, MessageLog
from messagelog.memory import MemoryStorage

from local.template import ROOT
from tests.providers.endpoints import endpoints

SCHEMA = {"type": "object", "properties": {}}
TOOLS: dict[str, list[dict[str, Any]]] = {
    "openai": [{"type": "function", "function": {"name": "clock", "parameters": SCHEMA}}],
    "anthropic": [{"name": "clock", "input_schema": SCHEMA}],
    "bedrock": [{"toolSpec": {"name": "clock", "inputSchema": {"json": SCHEMA}}}],
    "langchain": [],
}


@pytest.fixture
def provider_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with endpoints() as url:
        for name, value in {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url,
            "AWS_DEFAULT_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "none",
            "AWS_SECRET_ACCESS_KEY": "none",
        }.items():
            monkeypatch.setenv(name, value)
        yield


def blocks() -> list[str]:
    """The code blocks of the section."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Give a model its history\n")[2]
    return re.findall(r"```python\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)


def example(provider: str) -> str:
    """The README's first code block that takes a reply of the provider."""
    return next(block for block in blocks() if f"from_{provider}(" in block)


@pytest.mark.usefixtures("provider_environment")
@pytest.mark.parametrize("provider", TOOLS)
def test_the_example_asks_the_provider_and_keeps_its_reply(provider: str) -> None:
    log = MessageLog(MemoryStorage())
    log.append_many([AgentMessage("system", "Be brief."), AgentMessage("user", "What time is it?")])
    names = {
        "log": log,
        "MODEL": "m",
        "SYSTEM": "Be brief.",
        "tools": TOOLS[provider],
        "chat_model": FakeListChatModel(responses=["It is noon."]),
    }
    exec(example(provider), names)
    reply = log.last()
    assert reply is not None
    assert (log.count(), reply.role) == (3, "assistant")
    assert reply.content == "It is noon." or reply.tool_calls[0].name == "clock"


@pytest.mark.usefixtures("provider_environment")
def test_the_agent_that_runs_tools_comes_to_its_answer() -> None:
    log = MessageLog(MemoryStorage())
    (agent,) = [block for block in blocks() if "run_tool(" in block]
    exec(agent, {"log": log, "MODEL": "m", "tools": TOOLS["openai"], "run_tool": lambda name, args: "12:00"})
    said = [(message.role, message.content) for message in log.all()]
    assert said == [("user", "What time is it?"), ("assistant", ""), ("tool", "12:00"), ("assistant", "It is noon.")]
