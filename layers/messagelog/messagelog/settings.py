"""The settings of a process, from its environment. This is the only module that reads `os.environ`.

One rule holds for every variable: white space around its value is ignored, and an empty value counts as unset, because
a template passes an unused parameter as empty text.

A variable that is missing or wrong raises an error whose text says what to set and whose `code` is the variable's name.
Values never appear in an error, since they may be secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from messagelog.chat.errors import NoModelError
from messagelog.errors import StorageUnavailableError

PROVIDERS = ("bedrock", "openai")
MAX_ROUNDS = 1000
_E = TypeVar("_E", StorageUnavailableError, NoModelError)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the log's storage.

    Attributes:
        table: The name of MessageTable.
        endpoint: DynamoDB's endpoint. boto3 reads it by itself. Here it is used to decide whether an earlier client can
            be used again.
        region: The AWS region, for the same decision.
    """

    table: str
    endpoint: str | None
    region: str | None


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model that chats ask.

    Attributes:
        provider: One of PROVIDERS.
        model: The model's name at the provider.
        base_url: The URL of an OpenAI-compatible endpoint.
        api_key: The key of the endpoint.
        api_key_secret: The ARN of the secret that holds the key, if `api_key` is None.
    """

    provider: str
    model: str
    base_url: str | None
    api_key: str | None
    api_key_secret: str | None


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How chats are set up.

    Attributes:
        config: The fields of ChatConfig that are set, by name.
        setup: `module:function` of the function that gives a chat its tools and hooks.
    """

    config: Mapping[str, Any]
    setup: str | None


def settings() -> Settings:
    """Returns the settings of the log's storage.

    Raises:
        StorageUnavailableError: The table's name is missing.
    """
    return Settings(
        table=_name("MESSAGELOG_TABLE", "the messages' table"),
        endpoint=_optional("AWS_ENDPOINT_URL_DYNAMODB") or _optional("AWS_ENDPOINT_URL"),
        region=_optional("AWS_REGION") or _optional("AWS_DEFAULT_REGION"),
    )


def chat_table() -> str:
    """Returns the name of ChatTable.

    Raises:
        StorageUnavailableError: It is missing.
    """
    return _name("MESSAGELOG_CHAT_TABLE", "the chats' table")


def chat_worker() -> str:
    """Returns the name of the function that runs the turns of chats.

    Raises:
        StorageUnavailableError: It is missing.
    """
    return _name("CHAT_WORKER_FUNCTION", "the function send_worker")


def tenant_claim() -> str | None:
    """Returns the claim of a caller's token that names the tenant; None without tenants."""
    return _optional("MESSAGELOG_TENANT_CLAIM")


def model_settings() -> ModelSettings:
    """Returns the model that chats ask.

    Raises:
        NoModelError: A variable is missing or wrong.
    """
    provider, model = _optional("CHAT_PROVIDER"), _optional("CHAT_MODEL")
    if provider is None:
        remedy = "set CHAT_PROVIDER to bedrock or openai, and CHAT_MODEL to the model to ask"
        raise _coded(NoModelError(remedy), "CHAT_PROVIDER")
    if provider not in PROVIDERS:
        raise _coded(NoModelError(f"CHAT_PROVIDER must be one of {', '.join(PROVIDERS)}"), "CHAT_PROVIDER")
    if model is None:
        remedy = f"set CHAT_MODEL to the model to ask, by its name at CHAT_PROVIDER={provider}"
        raise _coded(NoModelError(remedy), "CHAT_MODEL")
    found = ModelSettings(
        provider=provider,
        model=model,
        base_url=_optional("CHAT_BASE_URL"),
        api_key=_optional("CHAT_API_KEY"),
        api_key_secret=_optional("CHAT_API_KEY_SECRET"),
    )
    if provider == "openai" and not (found.base_url or found.api_key or found.api_key_secret):
        remedy = "set CHAT_API_KEY (or CHAT_API_KEY_SECRET), or CHAT_BASE_URL for a server that needs no key"
        raise _coded(NoModelError(remedy), "CHAT_API_KEY")
    return found


def chat_settings() -> ChatSettings:
    """Returns how chats are set up.

    Raises:
        NoModelError: The number of rounds is not a whole number from 0 to MAX_ROUNDS.
    """
    texts = {
        "system_prompt": _optional("LLM_CHAT_SYSTEM_PROMPT"),
        "system_prompt_dir": _optional("LLM_CHAT_SYSTEM_PROMPT_DIR"),
        "hooks_dir": _optional("LLM_CHAT_HOOKS_DIR"),
    }
    config: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if rounds := _optional("LLM_CHAT_MAX_TOOL_CALL_ROUNDS"):
        config["max_tool_call_rounds"] = _rounds("LLM_CHAT_MAX_TOOL_CALL_ROUNDS", rounds)
    return ChatSettings(config, setup=_optional("CHAT_SETUP"))


def _rounds(variable: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text) or int(text) > MAX_ROUNDS:
        raise _coded(NoModelError(f"{variable} must be a whole number from 0 to {MAX_ROUNDS}"), variable)
    return int(text)


def _name(variable: str, what: str) -> str:
    value = _optional(variable)
    if value is None:
        error = StorageUnavailableError(f"set {variable} to the name of {what}", is_of_the_stack=True)
        raise _coded(error, variable)
    return value


def _coded(error: _E, variable: str) -> _E:
    error.code = variable
    return error


def _optional(variable: str) -> str | None:
    return os.environ.get(variable, "").strip() or None
