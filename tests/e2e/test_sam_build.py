"""The result of `sam build` runs: each handler imports as on Lambda, only from its own folder and the layer."""

import importlib.metadata
import subprocess
from pathlib import Path
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
FUNCTIONS: dict[str, dict[str, Any]] = {
    name: resource["Properties"]
    for name, resource in yaml_parse((ROOT / "template.yaml").read_text())["Resources"].items()
    if resource["Type"] == "AWS::Serverless::Function"
}
IMPORT = """
import importlib, sys
sys.path[:0] = sys.argv[2:]
module = importlib.import_module(sys.argv[1])
print(module.__file__, callable(module.handler), sys.modules["messagelog"].__file__)
"""


@pytest.fixture(scope="session")
def lambda_runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with boto3 and its dependencies and nothing else, as in the Lambda runtime."""
    folder = tmp_path_factory.mktemp("runtime")
    for name in ("boto3", "botocore", "s3transfer", "jmespath", "python-dateutil", "six", "urllib3"):
        distribution = importlib.metadata.distribution(name)
        modules = {file.parts[0] for file in distribution.files or [] if file.suffix == ".py"} - {".."}
        for module in modules:
            (folder / module).symlink_to(str(distribution.locate_file(module)))
    return folder


def test_the_layer_holds_the_package_where_lambda_looks(build: Path) -> None:
    layer = build / "MessageLogLayer"
    assert [path.name for path in layer.iterdir()] == ["python"]
    source = ROOT / "layers" / "messagelog"
    built = {path.relative_to(layer / "python") for path in (layer / "python" / "messagelog").rglob("*.py")}
    assert built == {path.relative_to(source) for path in (source / "messagelog").rglob("*.py")}


def test_the_layer_has_nothing_compiled(build: Path) -> None:
    """The template offers the layer to Python 3.11 and 3.12 too, and it is built with 3.13."""
    assert not list((build / "MessageLogLayer").rglob("*.so"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_built_handler_imports_as_on_lambda(name: str, build: Path, lambda_runtime: Path, python: str) -> None:
    module, attribute = FUNCTIONS[name]["Handler"].split(".")
    folder, layer = build / name, build / "MessageLogLayer" / "python"
    command = [python, "-I", "-S", "-c", IMPORT, module, str(folder), str(layer), str(lambda_runtime)]
    variables = {"MESSAGELOG_TABLE": "MessageTable", "AWS_DEFAULT_REGION": "us-east-1"}
    result = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert attribute == "handler"
    assert result.stdout.split() == [str(folder / f"{module}.py"), "True", str(layer / "messagelog" / "__init__.py")]


def test_only_the_layer_of_the_worker_has_openai(build: Path, lambda_runtime: Path, python: str) -> None:
    layers = [build / name / "python" for name in ("MessageLogLayer", "OpenaiLayer")]
    path = [str(folder) for folder in (*layers, lambda_runtime)]
    provider = "from messagelog.chat.providers.openai import OpenAIProvider; print(OpenAIProvider('m', api_key='k'))"
    command = [python, "-I", "-S", "-c", f"import sys; sys.path[:0] = sys.argv[1:]; {provider}", *path]
    result = subprocess.run(command, env={}, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert not (layers[0] / "openai").exists()


def test_the_worker_with_its_layers_fits_into_lambda(build: Path) -> None:
    """At most 250 MB with all layers ("Lambda quotas", deployment package)."""
    folders = (build / name for name in ("SendWorkerFunction", "MessageLogLayer", "OpenaiLayer"))
    size = sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())
    assert size < 125 * 1024 * 1024, "the other half is for the layer of ChatSetup"
