"""An agent that uses the views with the providers' SDKs passes strict type checks without a cast."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from local.template import ROOT

AGENTS = ROOT / "tests" / "providers" / "typed_agents.py"
PACKAGE = ROOT / "layers" / "messagelog"


def check(*command: str) -> None:
    """Runs a type checker, and fails with its report if it finds a fault."""
    environment = {"MYPYPATH": str(PACKAGE), "PATH": ""}
    done = subprocess.run([sys.executable, "-m", *command], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2_000:]


def test_agents_pass_mypy_in_strict_mode() -> None:
    cache = ROOT / ".mypy_cache" / "agents"
    options = ["--strict", "--config-file=", "--explicit-package-bases", f"--cache-dir={cache}"]
    check("mypy", *options, str(AGENTS))


def test_agents_pass_pyright_in_strict_mode(tmp_path: Path) -> None:
    config = {
        "include": [str(AGENTS)],
        "extraPaths": [str(PACKAGE)],
        "typeCheckingMode": "strict",
        "reportUnknownMemberType": False,  # boto3.client has an overload for each stub package that is not installed
    }
    project = tmp_path / "pyrightconfig.json"
    project.write_text(json.dumps(config), encoding="utf-8")
    check("basedpyright", f"--project={project}", f"--pythonpath={sys.executable}")
