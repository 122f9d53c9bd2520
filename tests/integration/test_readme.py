"""The README is short, and its function keeps its promise. `test_pages.py` runs all of its code blocks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from mypy_boto3_dynamodb import DynamoDBClient

from local.template import ROOT
from tests.support.pages import blocks

MOST_LINES = 170


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_an_event_that_comes_twice_is_logged_once(moto_table: DynamoDBClient) -> None:
    (code,) = [block.text for block in blocks("README.md", "python") if "def handler" in block.text]
    names: dict[str, Any] = {}
    exec(code, names)
    event, context = {"conversation": "c1", "text": "Hi"}, SimpleNamespace(aws_request_id="r1")
    replies = [names["handler"](event, context) for _ in range(2)]
    assert replies == [{"history": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}] * 2
