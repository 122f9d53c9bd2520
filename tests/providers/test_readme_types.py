"""The README's agent is well typed for the SDK that it calls: mypy in strict mode and pyright accept it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import indent

import pytest

from local.template import ROOT
from tests.support.pages import blocks

LAYER = ROOT / "layers" / "messagelog"
PRELUDE = """\
from collections.abc import Callable

import anthropic
from messagelog import MessageLog
from messagelog.messages import JSONValue
from openai.types.chat import ChatCompletionToolParam


def claude(log: MessageLog) -> None:
    anthropic.Anthropic().messages.create(model="m", max_tokens=1, messages=log.to_anthropic())


def agent(
    log: MessageLog, MODEL: str, tools: list[ChatCompletionToolParam], run_tool: Callable[[str, JSONValue], str]
) -> None:
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The README's agent as a function with typed arguments."""
    (agent,) = [block.text for block in blocks("README.md", "python") if "run_tool(" in block.text]
    path = tmp_path / "agent.py"
    path.write_text(PRELUDE + indent(agent, "    "), encoding="utf-8")
    return path


def test_mypy_accepts_the_agent(program: Path) -> None:
    cache = ROOT / ".mypy_cache" / "readme"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", str(program)]
    done = subprocess.run(command, env={**os.environ, "MYPYPATH": str(LAYER)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_pyright_accepts_the_agent(program: Path) -> None:
    settings = {"extraPaths": [str(LAYER)], "typeCheckingMode": "standard"}
    (program.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--project", str(program.parent)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
