"""openapi.yaml describes the API of template.yaml and the functions."""

from __future__ import annotations

import importlib
import re
from inspect import getclosurevars
from typing import Any

import pytest
from openapi_spec_validator import validate

from local.template import Route, Template
from tests.support.openapi import DOCUMENT, OPERATIONS, PATH, Described, resolved

TEXT = PATH.read_text(encoding="utf-8")
# The statuses that API Gateway answers before or instead of a function.
GATEWAY = {"401", "403", "404", "413", "429", "500", "503"}
each_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda it: it.name)


@pytest.fixture
def handler(operation: Described, template: Template) -> Any:
    """The arguments of the decorator `operation` on the function of the route."""
    route = route_of(operation, template)
    return getclosurevars(importlib.import_module(route.function.module).handler).nonlocals


def route_of(operation: Described, template: Template) -> Route:
    (route,) = (route for route in template.routes if route.key == operation.key)
    return route


def parameters(operation: Described, place: str) -> list[str]:
    return sorted(it["name"] for it in map(resolved, operation.form["parameters"]) if it["in"] == place)


def test_the_document_is_valid() -> None:
    validate(DOCUMENT)


def test_it_has_the_routes_of_the_template(template: Template) -> None:
    assert sorted(it.key for it in OPERATIONS) == sorted(route.key for route in template.routes)


@each_operation
def test_an_operation_has_the_name_of_its_function(operation: Described, template: Template) -> None:
    assert operation.name == route_of(operation, template).function.module


@each_operation
def test_the_path_parameters_are_those_of_the_path(operation: Described) -> None:
    assert parameters(operation, "path") == sorted(re.findall(r"{(\w+)}", operation.path))


@each_operation
def test_the_query_is_the_one_of_the_function(operation: Described, handler: Any) -> None:
    assert parameters(operation, "query") == sorted(handler["query"])


@each_operation
def test_the_headers_are_those_that_the_function_supports(operation: Described, handler: Any) -> None:
    assert [name.lower() for name in parameters(operation, "header")] == sorted(handler["preconditions"])


@each_operation
def test_a_precondition_can_fail(operation: Described) -> None:
    assert ("412" in operation.form["responses"]) == ("If-Match" in parameters(operation, "header"))


@each_operation
def test_the_answers_of_the_gateway_are_listed(operation: Described) -> None:
    assert set(operation.form["responses"]) >= GATEWAY
    for status in GATEWAY:
        schema = resolved(operation.form["responses"][status])["content"]["application/json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/GatewayAnswer"}


@each_operation
def test_a_status_with_retry_after_says_so(operation: Described) -> None:
    responses = operation.form["responses"]
    with_header = {status for status, it in responses.items() if "Retry-After" in resolved(it).get("headers", {})}
    assert with_header == {"429", "503"}


@each_operation
def test_only_a_request_with_a_body_can_have_a_bad_one(operation: Described) -> None:
    expected = {"415", "422"} if "requestBody" in operation.form else set()
    assert {"415", "422"} & set(operation.form["responses"]) == expected


@each_operation
def test_a_body_has_an_example(operation: Described) -> None:
    """The tests of the generated clients send the examples."""
    assert bool(operation.bodies) == ("requestBody" in operation.form)


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


def test_every_object_in_an_object_has_a_name() -> None:
    """A generated client takes the name of a class from it."""
    assert list(unnamed(DOCUMENT["paths"], "paths")) == []
    for name, schema in DOCUMENT["components"]["schemas"].items():
        inner = [value for key, value in schema.items() if key in ("properties", "items", "oneOf")]
        assert [place for value in inner for place in unnamed(value, name)] == []


def unnamed(value: Any, place: str) -> list[str]:
    """The places of objects with properties inside of the value."""
    if isinstance(value, list):
        return [it for index, item in enumerate(value) for it in unnamed(item, f"{place}[{index}]")]
    if not isinstance(value, dict):
        return []
    found = [place] if value.get("type") == "object" and "properties" in value else []
    return found + [it for key, item in value.items() for it in unnamed(item, f"{place}.{key}")]
