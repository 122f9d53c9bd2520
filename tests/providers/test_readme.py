"""The example for each provider keeps the reply, against endpoints that refuse what the real ones refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from langchain_core.language_models import FakeListChatModel
from messagelog import AgentMessage, MessageLog
from messagelog.memory import MemoryStorage

from tests.providers.endpoints import endpoints
from tests.support.pages import blocks

PROVIDERS = ["openai", "anthropic", "bedrock", "langchain"]
TOOLS = [{"type": "function", "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}}}]


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


def example(part: str, page: str = "docs/views.md") -> str:
    """The first code block of the page that has this part."""
    return next(block.text for block in blocks(page, "python") if part in block.text)


@pytest.mark.usefixtures("provider_environment")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_example_asks_the_provider_and_keeps_its_reply(provider: str) -> None:
    log = MessageLog(MemoryStorage())
    log.append_many([AgentMessage("system", "Be brief."), AgentMessage("user", "What time is it?")])
    names = {
        "log": log,
        "MODEL": "m",
        "SYSTEM": "Be brief.",
        "chat_model": FakeListChatModel(responses=["It is noon."]),
    }
    exec(example(f"from_{provider}("), names)
    reply = log.last()
    assert reply is not None
    assert (log.count(), reply.role) == (3, "assistant")
    assert reply.content == "It is noon." or reply.tool_calls[0].name == "clock"


@pytest.mark.usefixtures("provider_environment")
@pytest.mark.parametrize("page", ["README.md", "docs/views.md"])
def test_the_agent_that_runs_tools_comes_to_its_answer(page: str) -> None:
    log = MessageLog(MemoryStorage())
    exec(example("run_tool(", page), {"log": log, "MODEL": "m", "tools": TOOLS, "run_tool": lambda name, args: "12:00"})
    said = [(message.role, message.content) for message in log.all()]
    assert [role for role, _ in said] == ["user", "assistant", "tool", "assistant"]
    assert said[2:] == [("tool", "12:00"), ("assistant", "It is noon.")]
