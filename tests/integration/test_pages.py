"""Every code block of README.md and docs/ runs and prints the output that it shows, or says why it is not run.

`tests.support.pages` explains how a page marks its blocks. Python blocks use DynamoDB on moto, and shell blocks use
`make run`. The providers are servers on 127.0.0.1 that refuse the same requests as the real ones.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import FakeListChatModel
from messagelog import MessageLog
from messagelog.memory import MemoryStorage

from local.template import ROOT, Template
from tests.providers.endpoints import endpoints
from tests.support.chat_server import ChatServer, Reply, chat_server
from tests.support.local_run import Run, running
from tests.support.pages import PAGES, RUNNABLE, blocks, pages_with

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ADDRESS = "http://127.0.0.1:3000"
TOOL = {"type": "function", "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}}}


@pytest.fixture
def folder(tmp_path: Path, moto_table: DynamoDBClient, template: Template, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with both tables on moto."""
    monkeypatch.chdir(tmp_path)
    for name in {"MessageTable", "ChatTable"} - set(moto_table.list_tables()["TableNames"]):
        moto_table.create_table(**{**template.tables[name], "TableName": name})
    return tmp_path


@pytest.fixture
def providers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The environment variables that the SDKs of the providers read."""
    with endpoints() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url)
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.setenv(name, "none")
        yield


def given() -> dict[str, Any]:
    """The names that an example may use without making them: a log with a question, a model and tools."""
    log = MessageLog(MemoryStorage())
    log.add("user", "What time is it?")
    model = FakeListChatModel(responses=["It is noon."])
    constants = {"MODEL": "m", "SYSTEM": "Be brief.", "tools": [TOOL]}
    return {**constants, "log": log, "chat_model": model, "run_tool": lambda name, args: "12:00"}


@pytest.mark.usefixtures("providers")
@pytest.mark.parametrize("page", pages_with("python"))
def test_a_python_block_prints_the_output_it_shows(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page):
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
    made: dict[str, Any] = {}
    for block in blocks(page, "python"):
        here = given() | made
        before = dict(here)
        exec(compile(block.text, str(block), "exec"), here)
        made |= {name: value for name, value in here.items() if before.get(name) is not value}
        assert capsys.readouterr().out == block.shown, block


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    with chat_server() as server:
        server.otherwise = Reply("Ahoy!")
        yield server


@pytest.fixture(scope="module")
def run(model: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PROVIDER": "openai", "MODEL": "m", "BASE_URL": model.url}.items():
            patch.setenv(f"CHAT_{name}", value)
        with running(tmp_path_factory.mktemp("state")) as run:
            yield run


@pytest.mark.parametrize("page", pages_with("sh"))
def test_a_shell_block_prints_the_output_it_shows(page: str, run: Run) -> None:
    for block in blocks(page, "sh"):
        script = block.text.replace(ADDRESS, run.url)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), block
        assert '"status":' not in done.stdout, f"{block}: an error of the API: {done.stdout}"
        if block.shown:
            assert done.stdout == block.shown, block


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_known_language(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    known = (*RUNNABLE, "json", "markdown", "text")
    assert [block.language for block in blocks(page) if block.language not in known] == []
    assert 2 * len(list(blocks(page))) == sum(line.startswith("```") for line in text.splitlines())
