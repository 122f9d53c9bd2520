"""The README's first examples run as they stand, and show what it says."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from mypy_boto3_dynamodb import DynamoDBClient

from local.template import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(title: str, language: str) -> list[str]:
    section = README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def test_a_log_in_memory(capsys: pytest.CaptureFixture[str]) -> None:
    (code,), (shown,) = blocks("Try it", "python"), blocks("Try it", "text")
    exec(code, {})
    assert capsys.readouterr().out == shown


def test_a_function_of_your_own(moto_table: DynamoDBClient) -> None:
    """An event that is delivered twice is in the log once."""
    (code,) = blocks("Use it in your own Lambda", "python")
    names: dict[str, Any] = {}
    exec(code, names)
    event, context = {"conversation": "c1", "text": "Hi"}, SimpleNamespace(aws_request_id="r1")
    replies = [names["handler"](event, context) for _ in range(2)]
    assert replies == [{"history": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}] * 2
