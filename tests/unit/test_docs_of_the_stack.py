"""The pages about the stack name each of its parameters and alarms, and each route of the API."""

from __future__ import annotations

import re

from local.template import ROOT, Template
from tests.support.sam_template import TEMPLATE, of_type


def code_in(page: str) -> set[str]:
    """Returns the texts in backticks of a page."""
    return set(re.findall(r"`([^`\n]+)`", (ROOT / "docs" / page).read_text(encoding="utf-8")))


def test_deploy_names_each_parameter() -> None:
    assert TEMPLATE["Parameters"].keys() - code_in("deploy.md") == set()


def test_operations_names_each_alarm() -> None:
    assert of_type("AWS::CloudWatch::Alarm").keys() - code_in("operations.md") == set()


def test_http_names_each_route(template: Template) -> None:
    text = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    last_parts = {route.path.rpartition("/")[2] for route in template.routes}
    views = {"anthropic", "bedrock", "langchain"}  # the page says "and so on" after the first
    assert [part for part in last_parts - views if f"/{part}`" not in text] == []
