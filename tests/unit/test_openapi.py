"""openapi.yaml describes the API that template.yaml and the functions make."""

from __future__ import annotations

import importlib
import re
from inspect import getclosurevars
from pathlib import Path
from typing import Any

import pytest
import yaml
from openapi_spec_validator import validate

from local.template import Route, Template

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "openapi.yaml").read_text(encoding="utf-8")
DOCUMENT: dict[str, Any] = yaml.safe_load(TEXT)
OPERATIONS: dict[str, dict[str, Any]] = {
    f"{method.upper()} {path}": {
        **operation,
        "parameters": shared.get("parameters", []) + operation.get("parameters", []),
    }
    for path, shared in DOCUMENT["paths"].items()
    for method, operation in shared.items()
    if method != "parameters"
}
# What API Gateway answers before or instead of a function.
GATEWAY = {"401", "403", "404", "413", "429", "500", "503"}


@pytest.fixture(params=OPERATIONS)
def key(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


@pytest.fixture
def operation(key: str) -> dict[str, Any]:
    return OPERATIONS[key]


@pytest.fixture
def handler(key: str, template: Template) -> Any:
    """What the decorator `operation` was given for the function behind the route."""
    route = route_of(key, template)
    return getclosurevars(importlib.import_module(route.function.module).handler).nonlocals


def route_of(key: str, template: Template) -> Route:
    (route,) = (route for route in template.routes if route.key == key)
    return route


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """The component that a reference names, or the value itself."""
    while "$ref" in value:
        component: Any = DOCUMENT
        for step in value["$ref"].removeprefix("#/").split("/"):
            component = component[step]
        value = component
    return value


def parameters(operation: dict[str, Any], place: str) -> list[str]:
    return sorted(it["name"] for it in map(resolved, operation["parameters"]) if it["in"] == place)


def test_it_is_valid() -> None:
    validate(DOCUMENT)


def test_it_has_the_routes_of_the_template(template: Template) -> None:
    assert sorted(OPERATIONS) == sorted(route.key for route in template.routes)


def test_an_operation_is_named_as_its_function(key: str, operation: dict[str, Any], template: Template) -> None:
    assert operation["operationId"] == route_of(key, template).function.module


def test_its_path_parameters_are_those_of_the_path(key: str, operation: dict[str, Any]) -> None:
    assert parameters(operation, "path") == sorted(re.findall(r"{(\w+)}", key))


def test_its_query_parameters_are_those_that_the_function_knows(operation: dict[str, Any], handler: Any) -> None:
    assert parameters(operation, "query") == sorted(handler["query"])


def test_its_headers_are_those_that_the_function_heeds(operation: dict[str, Any], handler: Any) -> None:
    assert [name.lower() for name in parameters(operation, "header")] == sorted(handler["preconditions"])


def test_a_precondition_can_fail(operation: dict[str, Any]) -> None:
    assert ("412" in operation["responses"]) == ("If-Match" in parameters(operation, "header"))


def test_it_lists_what_the_gateway_answers(operation: dict[str, Any]) -> None:
    assert set(operation["responses"]) >= GATEWAY
    for status in GATEWAY:
        schema = resolved(operation["responses"][status])["content"]["application/json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/GatewayAnswer"}


def test_a_status_that_carries_retry_after_says_so(operation: dict[str, Any]) -> None:
    with_header = {
        status for status, it in operation["responses"].items() if "Retry-After" in resolved(it).get("headers", {})
    }
    assert with_header == {"429", "503"}


def test_only_a_request_that_may_have_a_body_can_have_a_bad_one(operation: dict[str, Any]) -> None:
    assert {"415", "422"} & set(operation["responses"]) == ({"415", "422"} if "requestBody" in operation else set())


def test_a_caller_signs_or_has_a_token() -> None:
    schemes = DOCUMENT["components"]["securitySchemes"]
    assert DOCUMENT["security"] == [{name: []} for name in schemes] == [{"awsSigv4": []}, {"jwt": []}]
    assert schemes["awsSigv4"]["x-amazon-apigateway-authtype"] == "awsSigv4"


def test_no_component_is_left_over() -> None:
    components = DOCUMENT["components"]
    names = {
        f"#/components/{kind}/{name}" for kind in components if kind != "securitySchemes" for name in components[kind]
    }
    assert names == set(re.findall(r'\$ref: "([^"]+)"', TEXT))
