"""The reader of template.yaml for local tools and tests.

It reads what a local run needs: functions with their environment, routes of the HTTP API, tables, and the folders
of the layers. It ignores everything else in the template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
_TABLE_ARGUMENTS = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes")


class TemplateError(Exception):
    """template.yaml contains something that local tools do not support. The text says what and where."""


@dataclass(frozen=True)
class Function:
    """One Lambda function.

    Attributes:
        module: The first part of `Handler`.
        attribute: The second part of `Handler`.
        folder: The folder of its code.
        timeout: Seconds.
        memory: Megabytes.
    """

    logical_id: str
    module: str
    attribute: str
    folder: Path
    environment: Mapping[str, str]
    timeout: int
    memory: int


@dataclass(frozen=True)
class Route:
    """One route of the HTTP API. `key` is API Gateway's `routeKey`, such as `GET /conversations/{conversation}`."""

    method: str
    path: str
    function: Function

    @property
    def key(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Template:
    """The parts of template.yaml that local tools use.

    Attributes:
        tables: The arguments of DynamoDB's CreateTable, by logical id. The logical id is also the name of the table,
            because `sam local` replaces a `Ref` by it.
        layers: The folders of the layers.
    """

    functions: tuple[Function, ...]
    routes: tuple[Route, ...]
    tables: Mapping[str, dict[str, Any]]
    layers: tuple[Path, ...]

    def environment(self) -> dict[str, str]:
        """Return the variables of all functions, which share one process locally.

        Raises:
            TemplateError: Two functions set one variable to different values.
        """
        merged: dict[str, str] = {}
        for function in self.functions:
            for name, value in function.environment.items():
                if merged.setdefault(name, value) != value:
                    raise TemplateError(
                        f"{function.logical_id}: {name} is {value!r} here and {merged[name]!r} in another function; "
                        f"locally, all functions share one environment, so use one value."
                    )
        return merged


def read_template(path: Path = ROOT / "template.yaml") -> Template:
    """Read `path`.

    Raises:
        TemplateError: The file is missing, is not YAML, or contains something that local tools do not support.
    """
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a SafeLoader underneath
    except OSError as error:
        raise TemplateError(f"{path} cannot be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise TemplateError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(document, dict):
        raise TemplateError(f"{path} contains no resources.")
    return _Reader(document, path.parent).read()


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms: `!Ref x` becomes `{"Ref": x}`, `!Sub x` becomes `{"Fn::Sub": x}`."""


def _short_form(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _short_form)


class _Reader:
    """Turns the parsed document into a Template."""

    def __init__(self, document: Mapping[str, Any], folder: Path) -> None:
        self._folder = folder
        self._resources: Mapping[str, Any] = document.get("Resources") or {}
        self._parameters: Mapping[str, Any] = document.get("Parameters") or {}
        self._globals: Mapping[str, Any] = (document.get("Globals") or {}).get("Function") or {}

    def read(self) -> Template:
        functions: list[Function] = []
        routes: list[Route] = []
        for logical_id, properties in self._of_type("AWS::Serverless::Function"):
            function = self._function(logical_id, {**self._globals, **properties})
            functions.append(function)
            routes += self._routes(function, properties)
        return Template(
            functions=tuple(functions),
            routes=tuple(routes),
            tables={logical_id: _table(logical_id, p) for logical_id, p in self._of_type("AWS::DynamoDB::Table")},
            layers=tuple(self._folder / p["ContentUri"] for _, p in self._of_type("AWS::Serverless::LayerVersion")),
        )

    def _of_type(self, kind: str) -> list[tuple[str, Mapping[str, Any]]]:
        return [(key, r.get("Properties") or {}) for key, r in self._resources.items() if r.get("Type") == kind]

    def _function(self, logical_id: str, properties: Mapping[str, Any]) -> Function:
        module, _, attribute = str(properties.get("Handler")).rpartition(".")
        variables = {**_variables(self._globals), **_variables(properties)}
        return Function(
            logical_id=logical_id,
            module=module,
            attribute=attribute,
            folder=self._folder / properties["CodeUri"],
            environment={name: self._text(value, f"{logical_id}: {name}") for name, value in variables.items()},
            timeout=int(self._text(properties.get("Timeout", 3), f"{logical_id}: Timeout")),
            memory=int(self._text(properties.get("MemorySize", 128), f"{logical_id}: MemorySize")),
        )

    def _routes(self, function: Function, properties: Mapping[str, Any]) -> list[Route]:
        events = [event for event in (properties.get("Events") or {}).values() if event.get("Type") == "HttpApi"]
        return [Route(e["Properties"]["Method"].upper(), e["Properties"]["Path"], function) for e in events]

    def _text(self, value: object, where: str) -> str:
        """Return a value as text, like `sam local`: the default of a parameter, the logical id of a resource."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str | int | float):
            return str(value)
        match value:
            case {"Ref": "AWS::StackName"}:
                return "local"
            case {"Ref": str(name)} if name in self._resources:
                return name
            case {"Ref": str(name)} if "Default" in self._parameters.get(name, {}):
                return self._text(self._parameters[name]["Default"], where)
        raise TemplateError(
            f"{where}: local tools support only plain values, and !Ref of a resource or of a parameter with a default."
        )


def _variables(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return (properties.get("Environment") or {}).get("Variables") or {}


def _table(logical_id: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    arguments = {name: properties[name] for name in _TABLE_ARGUMENTS if name in properties}
    return {"TableName": logical_id, "BillingMode": "PAY_PER_REQUEST", **arguments}
