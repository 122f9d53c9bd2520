"""How make finds a Python, and makes the environments."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from local.template import ROOT

# Stands for pip: notes what it is asked for, and when it begins and ends.
PIP = """
import pathlib, sys, time
log = pathlib.Path("pip.log").open("a", buffering=1)
print("begin", *sys.argv[1:], file=log)
time.sleep(0.5)
print("end", *sys.argv[1:], file=log)
"""
REPOSITORY = (
    "Makefile",
    "local/environments.mk",
    "local/alone.py",
    "local/find-python",
    "pyproject.toml",
    "layers/messagelog/pyproject.toml",
    "layers/messagelog/requirements.txt",
    "template.yaml",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A repository in which make has not been run yet."""
    for name in REPOSITORY:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "pip.py").write_text(PIP)
    return tmp_path


def make(folder: Path, *targets: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", *targets, "PIP=pip.py"]
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finish(process: subprocess.Popen[str]) -> None:
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output


def installs(folder: Path) -> list[str]:
    """Returns the installed packages, in order. Fails if two installations ran at the same time."""
    lines = (folder / "pip.log").read_text().splitlines()
    begun = [line.removeprefix("begin ") for line in lines if line.startswith("begin ")]
    assert lines == [line for it in begun for line in (f"begin {it}", f"end {it}")]
    return begun


def test_two_makes_at_once_make_an_environment_once(copy: Path) -> None:
    for process in [make(copy, ".venv/run"), make(copy, ".venv/dev"), make(copy, ".venv/dev")]:
        finish(process)
    assert installs(copy) == ["pip>=25.1", "--group run --editable layers/messagelog[aws]", "--group dev"]
    assert (copy / ".venv/bin/python").exists()


def test_a_changed_list_makes_the_environment_again(copy: Path) -> None:
    finish(make(copy, ".venv/dev"))
    finish(make(copy, ".venv/dev"))
    assert len(installs(copy)) == 3
    os.utime(copy / "pyproject.toml")
    finish(make(copy, ".venv/dev"))
    assert len(installs(copy)) == 6


@pytest.mark.parametrize("target", ["build", "deploy"])
def test_nothing_stale_gets_into_a_layer(copy: Path, target: str) -> None:
    sam = copy / ".venv/bin/sam"
    sam.parent.mkdir(parents=True)
    sam.write_text("#!/bin/sh\nls layers/messagelog >layer.txt\n")
    sam.chmod(0o755)
    for stale in ("build/lib/messagelog", "messagelog.egg-info", "dist"):
        (copy / "layers/messagelog" / stale).mkdir(parents=True)
    for stamp in (".venv/run", ".venv/dev"):
        (copy / stamp).touch()
    finish(make(copy, target))
    assert (copy / "layer.txt").read_text().split() == ["pyproject.toml", "requirements.txt"]


def find_python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run find-python where only the interpreters in the folder are found."""
    environment = {"PATH": f"{folder}:/nowhere", "HOME": str(folder), "PYENV_ROOT": str(folder)}
    command = ["/bin/sh", str(ROOT / "local/find-python"), *arguments]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)


def add_python(folder: Path, name: str, version: str, *, works: bool = True) -> Path:
    """Add an interpreter that answers the probe of find-python like one of this version."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "$0"\n[ "$3" = "{version}" ] && {"true" if works else "false"}\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder for a PATH, with what find-python itself runs."""
    (tmp_path / "tr").symlink_to(str(shutil.which("tr")))
    return tmp_path


def test_the_newest_supported_python_is_found(tools: Path) -> None:
    for version in ("3.10", "3.11", "3.13", "3.15"):
        add_python(tools, f"python{version}", version)
    newest = add_python(tools, "versions/3.14.2/bin/python3.14", "3.14")
    assert find_python(tools).stdout.strip() == str(newest)
    assert find_python(tools, "3.11").stdout.strip() == str(tools / "python3.11")


def test_a_python_that_cannot_make_an_environment_is_passed(tools: Path) -> None:
    add_python(tools, "python3.14", "3.14", works=False)
    other = add_python(tools, "python3", "3.12")
    assert find_python(tools).stdout.strip() == str(other)


@pytest.mark.parametrize(("asked", "named"), [((), "Python 3.11 or newer"), (("3.14",), "Python 3.14 with")])
def test_a_python_that_is_missing_is_named(tools: Path, asked: tuple[str, ...], named: str) -> None:
    add_python(tools, "python3", "3.10")
    result = find_python(tools, *asked)
    assert result.returncode == 1
    assert named in result.stderr
