"""docs/chat.md runs as it stands: its Python in order, in one process, prints what the guide shows behind `#>`.

The tables are on moto. Nothing is asked of a real model: the guide itself stands one in.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from local.template import ROOT, Template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

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
    for language, file, text in BLOCK.findall((ROOT / "docs" / "chat.md").read_text(encoding="utf-8")):
        if file:
            (workplace / file).parent.mkdir()
            (workplace / file).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(text, names)
            assert capsys.readouterr().out == "".join(SHOWN.findall(text)), text
            examples += 1
    assert examples > 9
