"""The operations of openapi.yaml, for tests that go through all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from local.template import ROOT

PATH = ROOT / "openapi.yaml"
DOCUMENT: dict[str, Any] = yaml.safe_load(PATH.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Described:
    """An operation of openapi.yaml.

    Attributes:
        method: The method in lower case.
        path: The path with its parameters in braces.
        form: The operation as the document has it, with the parameters of the path.
    """

    method: str
    path: str
    form: dict[str, Any]

    @property
    def name(self) -> str:
        """The operation's id."""
        return str(self.form["operationId"])

    @property
    def key(self) -> str:
        """The route key, as in template.yaml."""
        return f"{self.method.upper()} {self.path}"

    @property
    def bodies(self) -> list[Any]:
        """The examples of a JSON body."""
        content = self.form.get("requestBody", {}).get("content", {}).get("application/json", {})
        examples = [example["value"] for example in content.get("examples", {}).values()]
        return examples + ([content["example"]] if "example" in content else [])


OPERATIONS = [
    Described(method, path, {**form, "parameters": shared.get("parameters", []) + form.get("parameters", [])})
    for path, shared in DOCUMENT["paths"].items()
    for method, form in shared.items()
    if method != "parameters"
]


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """The component that a reference names, or the value itself."""
    while "$ref" in value:
        component: Any = DOCUMENT
        for step in value["$ref"].removeprefix("#/").split("/"):
            component = component[step]
        value = component
    return value
