"""template.yaml as CloudFormation would be given it: what SAM makes of it, and what is left for given parameters."""

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
    """Stands for the look-up of AWS managed policies by name, which the template has no use for."""

    def load(self) -> dict[str, str]:
        return {}


def translate(layer: str = "s3://bucket/layer", **parameters: str) -> dict[str, Any]:
    """The template that SAM makes of this one. `layer` is where the layers' content was uploaded to."""
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
    """The properties of the deployed resources of a type, by logical id."""
    return {name: resource["Properties"] for name, resource in resources.items() if resource["Type"] == kind}


def logical_id(operation: str) -> str:
    """What the template calls the function of an operation."""
    return "".join(word.title() for word in operation.split("_")) + "Function"


def function(operation: str) -> dict[str, Any]:
    """The properties of the function of an operation."""
    properties: dict[str, Any] = RESOURCES[logical_id(operation)]["Properties"]
    return properties


def routes(resources: dict[str, Any] = RESOURCES) -> dict[str, dict[str, Any]]:
    """The API's routes, as `GET /path`."""
    paths = resources["Api"]["Properties"]["Body"]["paths"]
    return {f"{method.upper()} {path}": route for path, methods in paths.items() for method, route in methods.items()}


def deployed(**parameters: str) -> dict[str, Any]:
    """The template with every condition decided, as these parameters decide it: nothing in it is conditional."""
    template = translate(**parameters)
    chosen = _Choice({**template, "Conditions": TEMPLATE["Conditions"]}, parameters)
    decided: dict[str, Any] = chosen.of({name: part for name, part in template.items() if name != "Conditions"})
    for section in ("Resources", "Outputs"):
        decided[section] = {
            name: {key: value for key, value in it.items() if key != "Condition"}
            for name, it in decided[section].items()
            if "Condition" not in it or chosen.holds(it["Condition"])
        }
    return decided


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
