"""A layer is built for the architecture that samconfig.toml names, so the functions can import it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from local.template import ROOT
from tests.e2e.sam import sam

# The tags that a wheel may have: pure Python, or Linux on this architecture ("Platform compatibility tags", PyPA).
MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}


@pytest.mark.parametrize("architecture", MACHINES)
def test_a_layer_has_the_wheels_of_its_architecture(architecture: str, python: str, tmp_path: Path) -> None:
    config = tmp_path / "samconfig.toml"
    text = (ROOT / "samconfig.toml").read_text()
    config.write_text(re.sub(r"Architecture=\w+", f"Architecture={architecture}", text))
    settings = ("--config-env", "prod", "--config-file", str(config))
    sam("build", "OpenaiLayer", *settings, "--no-cached", "--build-dir", str(tmp_path / "build"))
    tags = {
        tag
        for wheel in (tmp_path / "build").rglob("*.dist-info/WHEEL")
        for tag in re.findall(r"^Tag: .*-(\S+)$", wheel.read_text(), re.MULTILINE)
    }
    machines = {"any" if tag == "any" else re.sub(r"(many|musl)?linux\w*?_(?=aarch64|x86_64)", "", tag) for tag in tags}
    assert machines == {"any", MACHINES[architecture]}
