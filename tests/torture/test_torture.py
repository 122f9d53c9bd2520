"""A short form of the torture: a few seconds and processes, with every kind of fault."""

from __future__ import annotations

import os
import subprocess
import sys

from local.template import ROOT


def test_no_promise_breaks_under_torture() -> None:
    """The torture forks, so it runs in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "layers/messagelog"), str(ROOT)))}
    arguments = ["--seconds", "6", "--writers", "4", "--readers", "2", "--kill-every", "1", "--freeze-every", "1"]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.torture", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=110,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "violations: 0" in done.stdout
    assert " 0 acknowledged" not in done.stdout
