"""The set-up of a turn of the deployed chat, and the content that its logs and errors must not hold."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from messagelog.api import worker
from messagelog.api.worker import DeliveryFailedError
from messagelog.chat.sending.service import ChatService
from messagelog.chat.sending.tools import Tool, ToolPackage

from tests.support.chat_functions import CALL, Worker, progress, send, turns
from tests.support.chat_server import ChatServer, Cut, Refuse, Reply
from tests.support.http_api import HttpApi

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MARK = "mArKeR7"


class Weather(ToolPackage):
    def tools(self) -> list[Tool]:
        return [Tool("look_up", "The weather in a city.", {"type": "object"}, lambda args: f"22 °C in {args['city']}")]

    def tutorial(self) -> str:
        return "Look it up."


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the hook received. The function in CHAT_SETUP registers the hook."""
    texts: list[str] = []

    def set_up(service: ChatService) -> None:
        service.tools().add(Weather())
        service.hook().message("assistant").do(lambda message, *_: texts.append(message.content))

    module = ModuleType("of_mine")
    module.__dict__["set_up"] = set_up
    monkeypatch.setitem(sys.modules, "of_mine", module)
    monkeypatch.setenv("CHAT_SETUP", "of_mine:set_up")
    return texts


def test_a_send_has_the_tools_and_hooks_of_its_set_up(
    chat_api: HttpApi, scripted: ChatServer, work: Worker, heard: list[str]
) -> None:
    scripted.script(Reply(calls=[CALL]), Reply("It is 22 °C."))
    send(chat_api, "How warm is it?")
    work.run()
    assert [role for role, _ in turns(chat_api)] == ["user", "assistant", "tool", "assistant"]
    assert turns(chat_api)[2] == ("tool", "22 °C in Berlin")
    assert heard == ["", "It is 22 °C."]
    assert "Tool Package Weather" in scripted.last_request["messages"][0]["content"]
    assert "Look it up." in chat_api.get("get_system").json["text"]


@pytest.mark.parametrize("setup", ["of_mine", "of_mine:nothing", "not_there:set_up", ":"])
def test_a_missing_set_up_fails_the_turn(
    chat_api: HttpApi, work: Worker, heard: list[str], monkeypatch: pytest.MonkeyPatch, setup: str
) -> None:
    monkeypatch.setenv("CHAT_SETUP", setup)
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError, match="SetUpError: CHAT_SETUP is"):
        work.run()
    assert progress(chat_api) == (False, True), "neither the next send nor a reader need wait"


def test_an_unreadable_prompt_file_blocks_nobody(
    chat_api: HttpApi, work: Worker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "persona.md").write_bytes("Grüße".encode("latin-1"))
    monkeypatch.setenv("LLM_CHAT_SYSTEM_PROMPT_DIR", str(tmp_path))
    send(chat_api, "Hello!")
    with pytest.raises(DeliveryFailedError, match="ValueError"):
        work.run()
    assert progress(chat_api) == (False, True)


def test_the_settings_of_the_chat_come_from_the_environment(
    chat_api: HttpApi,
    scripted: ChatServer,
    work: Worker,
    heard: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "persona.md").write_text("You are a pirate.")
    monkeypatch.setenv("LLM_CHAT_SYSTEM_PROMPT_DIR", str(tmp_path))
    monkeypatch.setenv("LLM_CHAT_MAX_TOOL_CALL_ROUNDS", "1")
    scripted.script(Reply(calls=[CALL]), Reply(calls=[("call_2", *CALL[1:])]))
    send(chat_api, "How warm is it?")
    work.run()
    assert "You are a pirate." in scripted.last_request["messages"][0]["content"]
    assert [role for role, _ in turns(chat_api)] == ["user", "assistant", "tool", "assistant", "tool"]
    monkeypatch.setenv("LLM_CHAT_SYSTEM_PROMPT", "Be brief.")
    scripted.script(Reply("Yes."))
    send(chat_api, "Well?")
    work.run()
    assert scripted.last_request["messages"][0] == {"role": "system", "content": "Be brief."}


def test_the_key_is_the_text_of_the_secret(chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = boto3.client("secretsmanager").create_secret(Name="key", SecretString="of the secret")
    monkeypatch.setenv("CHAT_API_KEY_SECRET", secret["ARN"])
    assert worker._provider()._client.api_key == "of the secret"  # type: ignore[attr-defined]
    monkeypatch.setenv("CHAT_API_KEY", "of the environment")
    assert worker._provider()._client.api_key == "of the environment"  # type: ignore[attr-defined]


def test_a_key_that_is_not_the_chats_goes_to_no_endpoint(chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "for OpenAI alone")
    assert worker._provider()._client.api_key == "none"  # type: ignore[attr-defined]


def test_bedrock_is_asked_for_the_model(chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_PROVIDER", "bedrock")
    monkeypatch.setenv("CHAT_MODEL", "amazon.nova-lite-v1:0")
    provider = worker._provider()
    assert (type(provider).__name__, provider._model) == ("BedrockProvider", "amazon.nova-lite-v1:0")  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["openai", "httpx", "httpcore"])
def test_clients_that_log_requests_at_debug_are_silenced(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The package openai does in some of the versions that will do."""
    monkeypatch.setattr(logging.getLogger(), "level", logging.DEBUG)
    logging.getLogger().manager._clear_cache()  # type: ignore[attr-defined]
    assert not logging.getLogger(f"{name}._any").isEnabledFor(logging.DEBUG)
    assert logging.getLogger("another").isEnabledFor(logging.DEBUG)


@pytest.mark.parametrize(
    "failure",
    [None, Refuse(400), Cut(MARK), Reply(MARK, calls=[(MARK, MARK, MARK)])],
    ids=["none", "refusal", "cut", "after a call"],
)
def test_logs_and_errors_hold_no_content(
    chat_table: DynamoDBClient,
    event: Any,
    chat_api: HttpApi,
    scripted: ChatServer,
    work: Worker,
    heard: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    failure: Any,
) -> None:
    """With the root logger at DEBUG, as the template's LogLevel can set it."""
    lines = StringIO()
    monkeypatch.setattr(importlib.import_module("messagelog.api.operation").logger.registered_handler, "stream", lines)
    root, handler = logging.getLogger(), logging.StreamHandler(lines)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s %(args)s"))
    monkeypatch.setattr(root, "level", logging.DEBUG)
    monkeypatch.setattr(root, "handlers", [*root.handlers, handler])
    root.manager._clear_cache()  # type: ignore[attr-defined]
    monkeypatch.setattr(worker, "_provider", scripted.provider)
    named = HttpApi(event, conversation=f"{MARK}@example.com")
    scripted.script(failure or Reply(MARK))
    if isinstance(failure, Reply) and failure.calls:
        scripted.script(Refuse(500))
    named.post("put_system", {"tree": {"title": MARK}})
    named.post("enqueue", {"role": "user", "content": MARK})
    assert send(named, MARK).status == 202
    error = None
    try:
        work.run()
    except DeliveryFailedError as raised:
        error = raised
    assert (error is None) == (failure is None)
    named.get("chat_messages")
    named.send("clear", body=json.dumps({MARK: MARK}))
    out, err = capfd.readouterr()
    logged = lines.getvalue() + out + err + str(error)
    assert logged.count('"message":"request"') == 6
    assert MARK not in logged
    assert error is None or (error.__cause__, error.__suppress_context__) == (None, True)
    root.manager._clear_cache()  # type: ignore[attr-defined]
