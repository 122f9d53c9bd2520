"""Fixtures `python` and `build`: the result of `sam build`, made once for all tests."""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from local.template import ROOT
from tests.e2e.sam import ENVIRONMENT, MACHINE, sam


@pytest.fixture(scope="session")
def python() -> str:
    """A Python 3.13, the version of the functions. `sam build` installs the dependencies of the layers with it."""
    asked = ["python3.13", "-c", "import sys; print(sys.executable)"]
    try:
        return subprocess.run(
            asked, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("sam build needs python3.13 on PATH: install it, or make .venv with it")


@pytest.fixture(scope="session")
def build(python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `sam build` has filled, for the machine that runs the tests. Tests only read it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "sam-build"
    with (shared / "sam-build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "template.yaml").exists():  # written last
            overrides = ("--parameter-overrides", f"Architecture={MACHINE}")
            sam("build", "--no-cached", "--build-dir", str(folder), *overrides)
    return folder
