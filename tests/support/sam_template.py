"""template.yaml as CloudFormation gets it: what SAM makes of it, and what is left of it for given parameters."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest
from samtranslator.translator.transform import transform  # type: ignore[import-untyped]
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from local.template import ROOT

TEMPLATE: dict[str, Any] = yaml_parse((ROOT / "template.yaml").read_text())
NOTHING = {"Ref": "AWS::NoValue"}


class NoManagedPolicies:
    """Replaces SAM's lookup of AWS managed policies by name, which the template does not use."""

    def load(self) -> dict[str, str]:
        return {}


def translate(layer: str = "s3://bucket/layer", **parameters: str) -> dict[str, Any]:
    """Return the template that SAM makes of this one. `layer` is the place where the layers were uploaded."""
    template = copy.deepcopy(TEMPLATE)
    template["Globals"]["Function"]["CodeUri"] = "s3://bucket/functions"
    for name in ("MessageLogLayer", "OpenaiLayer"):
        template["Resources"][name]["Properties"]["ContentUri"] = layer
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        translated: dict[str, Any] = transform(template, parameters, NoManagedPolicies())
    return translated


RESOURCES: dict[str, Any] = translate()["Resources"]


def of_type(kind: str, resources: dict[str, Any] = RESOURCES) -> dict[str, Any]:
    """Return the properties of the deployed resources of a type, by logical id."""
    return {name: resource["Properties"] for name, resource in resources.items() if resource["Type"] == kind}


def logical_id(operation: str) -> str:
    """Return the name that the template gives to the function of an operation."""
    return "".join(word.title() for word in operation.split("_")) + "Function"


OPERATIONS = tuple(
    properties["Handler"].removesuffix(".handler") for properties in of_type("AWS::Lambda::Function").values()
)
each_operation = pytest.mark.parametrize("operation", OPERATIONS)


def function(operation: str) -> dict[str, Any]:
    """Return the properties of the function of an operation."""
    properties: dict[str, Any] = RESOURCES[logical_id(operation)]["Properties"]
    return properties


def routes_of(operation: str) -> list[str]:
    """Return the routes of the function of an operation, as `GET /path`. The worker has none."""
    events = TEMPLATE["Resources"][logical_id(operation)]["Properties"].get("Events", {}).values()
    return [f"{event['Properties']['Method']} {event['Properties']['Path']}" for event in events]


ROUTES: dict[str, str] = {operation: route for operation in OPERATIONS for route in routes_of(operation)}


def routes(resources: dict[str, Any] = RESOURCES) -> dict[str, dict[str, Any]]:
    """Return the routes of the API, by `GET /path`."""
    paths = resources["Api"]["Properties"]["Body"]["paths"]
    return {f"{method.upper()} {path}": route for path, methods in paths.items() for method, route in methods.items()}


def statements_of(operation: str, resources: dict[str, Any] = RESOURCES) -> list[dict[str, Any]]:
    """Return the statements of the policies that the role of an operation's function holds itself."""
    policies = resources[f"{logical_id(operation)}Role"]["Properties"]["Policies"]
    return [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]


def grants_of(operation: str) -> set[tuple[str, str]]:
    """Return the resources and actions that an operation may use without any parameter set."""
    statements = statements_of(operation, deployed()["Resources"])
    return {(it["Resource"]["Fn::GetAtt"][0], action) for it in statements for action in _texts(it["Action"])}


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


@cache
def _deployed(parameters: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    template = translate(**dict(parameters))
    chosen = _Choice({**template, "Conditions": TEMPLATE["Conditions"]}, dict(parameters))
    decided: dict[str, Any] = chosen.of({name: part for name, part in template.items() if name != "Conditions"})
    for section in ("Resources", "Outputs"):
        decided[section] = {
            name: {key: value for key, value in it.items() if key != "Condition"}
            for name, it in decided[section].items()
            if "Condition" not in it or chosen.holds(it["Condition"])
        }
    return decided


def deployed(**parameters: str) -> dict[str, Any]:
    """Return the template with each condition decided by these parameters."""
    return copy.deepcopy(_deployed(tuple(sorted(parameters.items()))))


def resources(**parameters: str) -> dict[str, Any]:
    """Return the resources that are deployed with these parameters."""
    found: dict[str, Any] = deployed(**parameters)["Resources"]
    return found


class _Choice:
    """Follows the `Fn::If`s of a template."""

    def __init__(self, template: dict[str, Any], parameters: dict[str, str]) -> None:
        defaults = {name: str(it.get("Default", "")) for name, it in template["Parameters"].items()}
        self._parameters = {**defaults, **parameters}
        self._conditions: dict[str, Any] = template["Conditions"]
        self.holds = cache(lambda name: bool(self._value(self._conditions[name])))

    def of(self, part: Any) -> Any:
        if isinstance(part, list):
            return [value for value in map(self.of, part) if value != NOTHING]
        if not isinstance(part, dict):
            return part
        if "Fn::If" in part:
            condition, then, otherwise = part["Fn::If"]
            return self.of(then if self.holds(condition) else otherwise)
        followed = {name: self.of(value) for name, value in part.items()}
        return {name: value for name, value in followed.items() if value != NOTHING}

    def _value(self, formula: Any) -> Any:
        match formula:
            case {"Ref": name}:
                return self._parameters[name]
            case {"Condition": name}:
                return self.holds(name)
            case {"Fn::Equals": [one, other]}:
                return self._value(one) == self._value(other)
            case {"Fn::Not": [one]}:
                return not self._value(one)
            case {"Fn::And": parts}:
                return all(map(self._value, parts))
            case {"Fn::Join": [_, one]}:
                return self._value(one)
        return formula
