"""The settings: one rule for every variable, and an error that names the variable without its value."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import messagelog
import pytest
from messagelog import MessageLogError, NoModelError, StorageUnavailableError, settings
from messagelog.chat import ChatConfig

PACKAGE = Path(messagelog.__file__).parent
MODEL = {"CHAT_PROVIDER": "openai", "CHAT_MODEL": "m", "CHAT_API_KEY": "sk-1"}
Environment = Callable[..., None]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Environment:
    """Sets variables. All others that the settings read are unset."""
    source = (PACKAGE / "settings.py").read_text(encoding="utf-8")
    for name in set(re.findall(r'"([A-Z]+_[A-Z_]+)"', source)):
        monkeypatch.delenv(name, raising=False)

    def set_all(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_all


def test_only_the_settings_read_the_environment() -> None:
    readers = [file.name for file in PACKAGE.rglob("*.py") if re.search(r"os\.environ\b|getenv", file.read_text())]
    assert readers == ["settings.py"]


def test_white_space_around_a_value_is_ignored(environment: Environment) -> None:
    environment(MESSAGELOG_TABLE=" Messages\n", AWS_REGION="\teu-central-1 ", CHAT_BASE_URL=" http://x \r\n", **MODEL)
    assert settings.settings() == settings.Settings("Messages", None, "eu-central-1")
    assert settings.model_settings().base_url == "http://x"


@pytest.mark.parametrize("empty", ["", " ", "\n"])
def test_an_empty_value_counts_as_unset(environment: Environment, empty: str) -> None:
    environment(**MODEL, CHAT_BASE_URL=empty, CHAT_SETUP=empty, LLM_CHAT_SYSTEM_PROMPT=empty, MESSAGELOG_TABLE=empty)
    assert settings.model_settings().base_url is None
    assert settings.chat_settings() == settings.ChatSettings({}, None)
    assert settings.tenant_claim() is None
    with pytest.raises(StorageUnavailableError):
        settings.settings()


@pytest.mark.parametrize(
    ("read", "variables", "code", "text"),
    [
        (settings.settings, {}, "MESSAGELOG_TABLE", "set MESSAGELOG_TABLE"),
        (settings.chat_table, {}, "MESSAGELOG_CHAT_TABLE", "set MESSAGELOG_CHAT_TABLE"),
        (settings.chat_worker, {}, "CHAT_WORKER_FUNCTION", "set CHAT_WORKER_FUNCTION"),
        (settings.model_settings, {}, "CHAT_PROVIDER", "set CHAT_PROVIDER to bedrock or openai"),
        (settings.model_settings, {"CHAT_PROVIDER": "secret"}, "CHAT_PROVIDER", "must be one of bedrock, openai"),
        (settings.model_settings, {"CHAT_PROVIDER": "bedrock"}, "CHAT_MODEL", "set CHAT_MODEL"),
        (settings.model_settings, {**MODEL, "CHAT_API_KEY": ""}, "CHAT_API_KEY", "set CHAT_API_KEY"),
    ],
)
def test_a_missing_variable_is_named(
    environment: Environment, read: Callable[[], object], variables: dict[str, str], code: str, text: str
) -> None:
    environment(**variables)
    with pytest.raises(MessageLogError, match=text) as caught:
        read()
    assert (caught.value.code, "secret" in str(caught.value)) == (code, False)


@pytest.mark.parametrize("rounds", ["0", "10", "1000"])
def test_a_number_of_rounds_is_read(environment: Environment, rounds: str) -> None:
    environment(LLM_CHAT_MAX_TOOL_CALL_ROUNDS=rounds)
    assert ChatConfig(**settings.chat_settings().config).max_tool_call_rounds == int(rounds)


@pytest.mark.parametrize("rounds", ["-1", "1001", "9" * 5000, "1_0", "１", "ten", "1.0", "+1"])
def test_a_bad_number_of_rounds_is_refused(environment: Environment, rounds: str) -> None:
    environment(LLM_CHAT_MAX_TOOL_CALL_ROUNDS=rounds)
    with pytest.raises(NoModelError, match="a whole number from 0 to 1000") as caught:
        settings.chat_settings()
    assert caught.value.code == "LLM_CHAT_MAX_TOOL_CALL_ROUNDS"
