"""CI and the hooks before a commit run the repository's own tools, on each supported Python."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.template import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SUPPORTED = re.findall(r"3\.\d+", re.findall("supported='(.*)'", (ROOT / "local/find-python").read_text())[0])


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_each_action_is_pinned_to_a_commit(path: Path) -> None:
    """A tag can be moved to other code."""
    used = re.findall(r"uses: (.*)", path.read_text())
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action) for action in used)


def test_the_workflow_runs_the_ci_script_with_few_rights() -> None:
    path = ROOT / ".github/workflows/ci.yml"
    assert [step["run"] for step in steps(path) if "run" in step] == [".ci/run"]
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}


def test_the_same_pythons_are_supported_everywhere() -> None:
    (setup,) = (
        step["with"] for step in steps(ROOT / ".github/workflows/ci.yml") if "python-version" in step.get("with", {})
    )
    listed = re.findall(r"for version in (.*); do", (ROOT / "local/test-pythons").read_text())[0].split()
    project = tomllib.loads((ROOT / "layers/messagelog/pyproject.toml").read_text())["project"]
    assert sorted(SUPPORTED) == sorted(setup["python-version"].split()) == sorted(listed)
    assert project["requires-python"] == f">={min(SUPPORTED, key=lambda version: int(version[2:]))}"


def test_each_hook_runs_a_tool_of_the_environment() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    tools = {hook["entry"].split()[0] for hook in repository["hooks"]}
    assert all(
        tool.startswith(".venv/bin/") and (Path(sys.prefix) / "bin" / Path(tool).name).exists() for tool in tools
    )
