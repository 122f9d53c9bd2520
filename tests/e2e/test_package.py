"""pip installs the package from layers/messagelog, and leaves that folder as it was.

SAM copies all of the folder into the layer.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from local.template import ROOT

SOURCE = ROOT / "layers" / "messagelog"


def test_an_installation_leaves_nothing_in_the_folder(tmp_path: Path) -> None:
    copy, target = tmp_path / "copy", tmp_path / "target"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    before = sorted(copy.rglob("*"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(copy)]
    subprocess.run(command, check=True, timeout=120)
    assert sorted(copy.rglob("*")) == before
    assert files(target / "messagelog") == files(copy / "messagelog")


def files(folder: Path) -> set[Path]:
    """The files of a folder, apart from compiled ones."""
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def test_pip_and_sam_install_the_same_dependencies() -> None:
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == (SOURCE / "requirements.txt").read_text().split()
