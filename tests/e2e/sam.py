"""The SAM CLI, and the settings that `sam build` needs on this machine."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from local.template import ROOT

MACHINE = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
# `sam build` installs the layers' dependencies with the python3.13 that it finds on the PATH.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "SAM_CLI_TELEMETRY": "0",
}
COMMAND = (sys.executable, "-m", "samcli")


def sam(*arguments: str, variables: Mapping[str, str] | None = None) -> str:
    """Run the SAM CLI and return its standard output. Fail if it fails."""
    result = subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env={**ENVIRONMENT, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    return result.stdout
