"""What the environment says: the only reader of `os.environ`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from messagelog.chat.errors import NoModelError
from messagelog.errors import StorageUnavailableError

PROVIDERS = ("bedrock", "openai")
_E = TypeVar("_E", StorageUnavailableError, NoModelError)


@dataclass(frozen=True, slots=True)
class Settings:
    """`table` is the name of MessageTable. `endpoint` and `region`, which boto3 reads by itself, only tell whether a
    client made earlier still fits."""

    table: str
    endpoint: str | None
    region: str | None


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Whom a chat asks. `api_key_secret` is the ARN of the secret that holds the key, for want of `api_key` itself."""

    provider: str
    model: str
    base_url: str | None
    api_key: str | None
    api_key_secret: str | None


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How chats are set up: what is set of the fields of ChatConfig, by name.

    `setup` names a function, as `module:function`, that gives a chat its tools and hooks.
    """

    config: Mapping[str, Any]
    setup: str | None


def settings() -> Settings:
    """The settings of this process. Raises StorageUnavailableError if the table's name is missing."""
    return Settings(
        table=_name("MESSAGELOG_TABLE", "the messages' table"),
        endpoint=os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL"),
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
    )


def chat_table() -> str:
    """The name of ChatTable. Raises StorageUnavailableError if it is missing."""
    return _name("MESSAGELOG_CHAT_TABLE", "the chats' table")


def chat_worker() -> str:
    """The name of the function that does a chat's turns. Raises StorageUnavailableError if it is missing."""
    return _name("CHAT_WORKER_FUNCTION", "the function send_worker")


def tenant_claim() -> str | None:
    """The claim of a caller's token that names the tenant; None if there are no tenants."""
    return _optional("MESSAGELOG_TENANT_CLAIM")


def model_settings() -> ModelSettings:
    """The model that chats ask. Raises NoModelError, which says what to set."""
    provider, model = _optional("CHAT_PROVIDER"), _optional("CHAT_MODEL")
    if provider is None:
        remedy = "set CHAT_PROVIDER to bedrock or openai, and CHAT_MODEL to the model to ask"
        raise _unset(NoModelError(remedy), "CHAT_PROVIDER")
    if provider not in PROVIDERS:
        raise _unset(NoModelError(f"CHAT_PROVIDER must be one of {', '.join(PROVIDERS)}"), "CHAT_PROVIDER")
    if model is None:
        remedy = f"set CHAT_MODEL to the model to ask, as CHAT_PROVIDER={provider} calls it"
        raise _unset(NoModelError(remedy), "CHAT_MODEL")
    found = ModelSettings(
        provider=provider,
        model=model,
        base_url=_optional("CHAT_BASE_URL"),
        api_key=_optional("CHAT_API_KEY"),
        api_key_secret=_optional("CHAT_API_KEY_SECRET"),
    )
    if provider == "openai" and not (found.base_url or found.api_key or found.api_key_secret):
        remedy = "set CHAT_API_KEY (or CHAT_API_KEY_SECRET), or CHAT_BASE_URL for a server that needs no key"
        raise _unset(NoModelError(remedy), "CHAT_API_KEY")
    return found


def chat_settings() -> ChatSettings:
    """How chats are set up. Raises ValueError if a number is none."""
    texts = {
        "system_prompt": _optional("LLM_CHAT_SYSTEM_PROMPT"),
        "system_prompt_dir": _optional("LLM_CHAT_SYSTEM_PROMPT_DIR"),
        "hooks_dir": _optional("LLM_CHAT_HOOKS_DIR"),
    }
    config: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    if rounds := _optional("LLM_CHAT_MAX_TOOL_CALL_ROUNDS"):
        config["max_tool_call_rounds"] = int(rounds)
    return ChatSettings(config, setup=_optional("CHAT_SETUP"))


def _name(variable: str, what: str) -> str:
    value = os.environ.get(variable)
    if not value:
        error = StorageUnavailableError(f"set {variable} to the name of {what}", is_of_the_stack=True)
        raise _unset(error, variable)
    return value


def _unset(error: _E, variable: str) -> _E:
    """The error of a variable that has to be set, with a code that names it, so that the log does."""
    error.code = variable
    return error


def _optional(variable: str) -> str | None:
    """The variable's value, None if it is empty: a template sets what nobody has chosen to the empty text."""
    return os.environ.get(variable) or None
