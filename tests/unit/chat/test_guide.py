"""The tables of docs/chat.md list what the code has. `tests/integration/test_pages.py` runs its code blocks."""

from __future__ import annotations

import re

import messagelog
import pytest
from messagelog.chat import ChatConfig
from messagelog.chat.hooks.actions import ACTION_FIELDS
from messagelog.chat.hooks.definitions import FIELDS
from messagelog.settings import chat_settings

from local.template import ROOT

GUIDE = (ROOT / "docs" / "chat.md").read_text(encoding="utf-8")


def rows(head: str) -> list[list[str]]:
    """The cells of the table that begins with these words."""
    lines = GUIDE[GUIDE.index(f"\n| {head} |") + 1 :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def quoted(cell: str) -> list[str]:
    """The words in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def test_the_guide_lists_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [(quoted(field), quoted(variable), default) for field, variable, default, _ in rows("field | variable")]
    fields = {field: (variables, default) for (field,), variables, default in (row for row in told if row[0])}
    assert {field: default for field, (_, default) in fields.items()} == {
        field: str(getattr(ChatConfig(), field)).lower() for field in ChatConfig.__dataclass_fields__
    }
    variables = {field: variable for field, given in fields.items() for variable in given[0]}
    for variable in variables.values():
        monkeypatch.setenv(variable, "7")
    assert {field: str(value) for field, value in chat_settings().config.items()} == dict.fromkeys(variables, "7")


def test_the_guide_lists_the_fields_and_actions_of_json_hooks() -> None:
    told = [first for first, *_ in rows("field | meaning")]
    fields = [name for cell in told if not cell.startswith("→") for name in quoted(cell)]
    actions = [name for cell in told if cell.startswith("→") for name in quoted(cell)]
    assert sorted(fields) == sorted(FIELDS)
    assert sorted(actions) == sorted(ACTION_FIELDS)


def test_the_errors_of_a_send_are_errors_of_the_package() -> None:
    told = [name for first, *_ in rows("raised by `send(content)`") for name in quoted(first) if name.endswith("Error")]
    assert len(told) > 8
    assert all(issubclass(getattr(messagelog, name), messagelog.MessageLogError) for name in told)
