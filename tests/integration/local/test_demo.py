"""`make demo` plays its conversation, checks what it gets, and ends well."""

from __future__ import annotations

import subprocess
import sys

from local.template import ROOT


def test_the_demo_passes() -> None:
    played = subprocess.run(
        [sys.executable, "-m", "local.demo"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert (played.returncode, played.stderr.count("Traceback")) == (0, 0), played.stderr
    for view in ("openai", "anthropic", "bedrock", "langchain"):
        assert f"The view for {view}:" in played.stdout
    assert played.stdout.endswith("The demo passed.\n")
