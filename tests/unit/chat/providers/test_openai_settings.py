"""The settings of the OpenAI provider: its package, the key and the base URL."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from messagelog import NoModelError
from messagelog.chat.providers import Finish
from messagelog.chat.providers.openai import OpenAIProvider

from tests.support.asking import ASKED
from tests.support.chat_server import ChatServer, Reply

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_an_endpoint_that_asks_for_no_key_needs_none(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def key_of(**given: str) -> str:
        return OpenAIProvider("m", base_url=server.url, **given)._client.api_key

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server.script(Reply("Ahoy!", finish="stop"))
    assert list(OpenAIProvider("m", base_url=server.url).stream(None, ASKED, []))[-1] == Finish("stop")
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    assert (key_of(), key_of(api_key="mine")) == ("of-the-environment", "mine")


def test_without_the_package_the_error_names_the_extra() -> None:
    """In a process of its own, since this one has imported it."""
    code = "import sys; sys.modules['openai'] = None; import messagelog.chat.providers.openai"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert "messagelog[openai]" in done.stderr.splitlines()[-1]


def test_the_protocol_and_the_chat_need_no_package() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['openai', 'boto3', 'botocore']));"
        "import messagelog.chat, messagelog.chat.providers"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=ENVIRONMENT)


def test_white_space_around_key_and_url_is_ignored(server: ChatServer) -> None:
    server.script(Reply("Ahoy!"))
    provider = OpenAIProvider("m", base_url=f" {server.url}\r\n", api_key="\tsk-1\n", max_retries=0)
    assert list(provider.stream(None, ASKED, []))[-1] == Finish("stop")
    assert provider._client.api_key == "sk-1"


def test_white_space_around_a_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1\n")
    assert OpenAIProvider("m")._client.api_key == "sk-1"
    monkeypatch.setenv("OPENAI_API_KEY", "sk\x01-1")
    with pytest.raises(NoModelError, match="API key"):
        OpenAIProvider("m")


@pytest.mark.parametrize("key", ["sk-ä-secret", "sk\n-secret", "sk\x7f-secret", "\ud800secret"])
def test_a_key_that_no_header_can_carry_is_refused(key: str) -> None:
    with pytest.raises(NoModelError, match="the API key holds") as caught:
        OpenAIProvider("m", api_key=key)
    assert "secret" not in f"{caught.value!r} {caught.value}"
    assert caught.value.code == "BadApiKey"


@pytest.mark.parametrize(
    "url", ["127.0.0.1:1/secret", "ftp://secret", "http://", "http://[secret", "http://se cret", "http://x/\nsecret"]
)
def test_a_url_that_is_not_of_http_is_refused(url: str) -> None:
    with pytest.raises(NoModelError, match="the base URL is not") as caught:
        OpenAIProvider("m", base_url=url, api_key="none")
    assert "secret" not in f"{caught.value!r} {caught.value}"
    assert caught.value.code == "BadBaseUrl"
