"""Every code block of README.md and docs/ runs as it stands and prints what it shows, or says why it is not run.

`tests.support.pages` says how a page marks its blocks. DynamoDB is moto's for Python, and that of `make run` for the
shell. The providers are servers on 127.0.0.1 that refuse what the real ones refuse.
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
from tests.integration.local.test_api import Run, running
from tests.providers.endpoints import endpoints
from tests.support.chat_server import ChatServer, Reply, chat_server
from tests.support.pages import PAGES, RUNNABLE, blocks, pages_with

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ADDRESS = "http://127.0.0.1:3000"
TOOL = {"type": "function", "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}}}


@pytest.fixture
def workplace(tmp_path: Path, moto_table: DynamoDBClient, template: Template, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, with both tables on moto."""
    monkeypatch.chdir(tmp_path)
    for name in {"MessageTable", "ChatTable"} - set(moto_table.list_tables()["TableNames"]):
        moto_table.create_table(**{**template.tables[name], "TableName": name})
    return tmp_path


@pytest.fixture
def providers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the SDKs of the providers read from the environment."""
    with endpoints() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url)
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.setenv(name, "none")
        yield


def given() -> dict[str, Any]:
    """What an example may use without making it: a user's question in a log, a model, tools."""
    log = MessageLog(MemoryStorage())
    log.add("user", "What time is it?")
    model = FakeListChatModel(responses=["It is noon."])
    constants = {"MODEL": "m", "SYSTEM": "Be brief.", "tools": [TOOL]}
    return {**constants, "log": log, "chat_model": model, "run_tool": lambda name, args: "12:00"}


@pytest.mark.usefixtures("providers")
@pytest.mark.parametrize("page", pages_with("python"))
def test_python_prints_what_it_shows(page: str, workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page):
        if block.file:
            (workplace / block.file).parent.mkdir(parents=True, exist_ok=True)
            (workplace / block.file).write_text(block.text, encoding="utf-8")
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
def test_shell_prints_what_it_shows(page: str, run: Run) -> None:
    for block in blocks(page, "sh"):
        script = block.text.replace(ADDRESS, run.url)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), block
        assert '"status":' not in done.stdout, f"{block}: an error of the API: {done.stdout}"
        if block.shown:
            assert done.stdout == block.shown, block


@pytest.mark.parametrize("page", PAGES)
def test_each_block_has_a_language_that_says_whether_it_runs(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    known = (*RUNNABLE, "json", "markdown", "text")
    assert [block.language for block in blocks(page) if block.language not in known] == []
    assert 2 * len(list(blocks(page))) == sum(line.startswith("```") for line in text.splitlines())
