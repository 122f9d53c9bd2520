"""samconfig.toml: each environment is complete, and all commands get the same parameters of the template."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from samcli.lib.config.samconfig import SamConfig

from local.template import ROOT
from tests.support.sam_template import TEMPLATE

CONFIG: dict[str, Any] = tomllib.loads((ROOT / "samconfig.toml").read_text())
COMMANDS = ("validate", "build", "deploy")
each_environment = pytest.mark.parametrize("environment", ["default", "prod"])


def test_each_environment_is_complete() -> None:
    default, prod = CONFIG["default"], CONFIG["prod"]
    assert default["global"]["parameters"]["stack_name"] != prod["global"]["parameters"]["stack_name"]
    for command in COMMANDS:
        assert default[command] == prod[command]


@each_environment
def test_build_and_deploy_get_the_same_parameters(environment: str) -> None:
    """A command reads its own section and `global`. With two lists, a layer was built for another architecture."""
    config = SamConfig(str(ROOT))
    overrides = {config.get_all([it], "parameters", environment)["parameter_overrides"] for it in COMMANDS}
    assert overrides == {CONFIG[environment]["global"]["parameters"]["parameter_overrides"]}


@each_environment
def test_each_parameter_is_one_of_the_template(environment: str) -> None:
    names = [it.split("=")[0] for it in CONFIG[environment]["global"]["parameters"]["parameter_overrides"].split()]
    assert set(names) <= set(TEMPLATE["Parameters"])
    assert "Architecture" in names
