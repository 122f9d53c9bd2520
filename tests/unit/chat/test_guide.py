"""docs/chat.md runs as it stands: its Python in order, in one process, prints what the guide shows behind `#>`.

DynamoDB is moto's. Nothing is asked of a real model: the guide itself stands one in. What its tables list, there is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import messagelog
import pytest
from messagelog.chat import ChatConfig
from messagelog.chat.hooks.actions import ACTION_FIELDS
from messagelog.chat.hooks.definitions import FIELDS
from messagelog.settings import chat_settings

from local.template import ROOT, Template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

GUIDE = (ROOT / "docs" / "chat.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"^#> ?(.*\n)", re.MULTILINE)


@pytest.fixture
def workplace(tmp_path: Path, moto_table: DynamoDBClient, template: Template, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, beside both tables and what a provider wants of the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name in {"MessageTable", "ChatTable"} - set(moto_table.list_tables()["TableNames"]):
        moto_table.create_table(**{**template.tables[name], "TableName": name})
    return tmp_path


def test_each_example_prints_what_it_shows(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block with the name of a file after its language is what that file holds."""
    names: dict[str, Any] = {}
    examples = 0
    for language, file, text in BLOCK.findall(GUIDE):
        if file:
            (workplace / file).parent.mkdir()
            (workplace / file).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(text, names)
            assert capsys.readouterr().out == "".join(SHOWN.findall(text)), text
            examples += 1
    assert examples > 9


def rows(head: str) -> list[list[str]]:
    """The cells of the table that begins so."""
    lines = GUIDE[GUIDE.index(f"\n| {head} |") + 1 :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def quoted(cell: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def test_the_configuration_has_these_fields_variables_and_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [(quoted(field), quoted(variable), default) for field, variable, default, _ in rows("field | variable")]
    fields = {field: (variables, default) for (field,), variables, default in (row for row in told if row[0])}
    assert {field: default for field, (_, default) in fields.items()} == {
        field: str(getattr(ChatConfig(), field)).lower() for field in ChatConfig.__dataclass_fields__
    }
    variables = {field: variable for field, given in fields.items() for variable in given[0]}
    for variable in variables.values():
        monkeypatch.setenv(variable, "7")
    assert {field: str(value) for field, value in chat_settings().config.items()} == dict.fromkeys(variables, "7")


def test_json_hooks_have_these_fields_and_actions() -> None:
    told = [first for first, *_ in rows("field |")]
    fields = [name for cell in told if not cell.startswith("→") for name in quoted(cell)]
    actions = [name for cell in told if cell.startswith("→") for name in quoted(cell)]
    assert sorted(fields) == sorted(FIELDS)
    assert sorted(actions) == sorted(ACTION_FIELDS)


def test_the_errors_of_a_send_are_errors_of_the_package() -> None:
    told = [name for first, *_ in rows("raised by `send(content)`") for name in quoted(first) if name.endswith("Error")]
    assert len(told) > 8
    assert all(issubclass(getattr(messagelog, name), messagelog.MessageLogError) for name in told)
