"""Each operation has all of its parts. A part that is missing fails the one test that names it."""

from __future__ import annotations

import importlib
import re
import sys
from inspect import getclosurevars

import pytest
import yaml

from local.template import ROOT
from tests.support.http_api import VIEWS
from tests.support.sam_template import OPERATIONS, ROUTES, TEMPLATE, each_operation, logical_id, routes_of

FILES = sorted(path.stem for path in (ROOT / "functions").glob("*.py"))
LISTED = {
    f"{method.upper()} {path}"
    for path, methods in TEMPLATE["Resources"]["Api"]["Properties"]["DefinitionBody"]["paths"].items()
    for method in methods
}
DESCRIBED = yaml.safe_load((ROOT / "openapi.yaml").read_text())["paths"]
FOLDERS = ("tests/integration/handlers", "tests/support")
TESTS = [path.read_text() for folder in FOLDERS for path in (ROOT / folder).glob("*.py")]


@pytest.mark.parametrize("name", FILES)
def test_each_file_has_a_function(name: str) -> None:
    wanted = f"{logical_id(name)} to template.yaml, with the Handler {name}.handler"
    assert name in OPERATIONS, f"functions/{name}.py has no function: add {wanted}"
    handler = TEMPLATE["Resources"].get(logical_id(name), {}).get("Properties", {}).get("Handler")
    assert handler == f"{name}.handler", f"the function of functions/{name}.py has another name: call it {wanted}"


@each_operation
def test_each_function_has_a_file(operation: str) -> None:
    assert operation in FILES, f"{logical_id(operation)} has no handler: add functions/{operation}.py"


@pytest.mark.parametrize("name", sorted(set(FILES) - {"send_worker"}))
def test_each_function_is_on_the_route_of_its_handler(name: str) -> None:
    route = getclosurevars(importlib.import_module(name).handler).nonlocals["route"]
    there = routes_of(name) if name in OPERATIONS else []
    assert there == [route], f"{route} has no function: add it as the event Route of {logical_id(name)}"


@pytest.mark.parametrize("route", ROUTES.values())
def test_each_route_states_its_security(route: str) -> None:
    assert route in LISTED, f"{route} has no security: add it to the paths in DefinitionBody of Api in template.yaml"


def test_each_route_with_security_has_a_function() -> None:
    unused = LISTED - set(ROUTES.values())
    assert not unused, (
        f"no function has the route {', '.join(unused)}: remove it from DefinitionBody, or add the function"
    )


@each_operation
def test_each_operation_has_a_sample_event(operation: str) -> None:
    what = ROUTES.get(operation, operation)
    assert (ROOT / "events" / f"{operation}.json").exists(), f"{what} has no event: add events/{operation}.json"


def test_each_sample_event_has_an_operation() -> None:
    unused = {path.stem for path in (ROOT / "events").iterdir()} - set(OPERATIONS)
    assert not unused, f"no function takes events/{', '.join(unused)}.json: remove the event, or add the function"


@each_operation
def test_each_operation_has_a_test(operation: str) -> None:
    call = re.compile(rf"""\b(?:api\.\w+|handler_of|event)\(\s*["']{operation}["']""")
    tested = operation in VIEWS or any(call.search(test) for test in TESTS)  # all views share their tests
    assert tested, f"no test calls {operation}: add one to tests/integration/handlers"


@pytest.mark.parametrize("route", ROUTES.values())
def test_each_route_is_described(route: str) -> None:
    method, path = route.split()
    assert method.lower() in DESCRIBED.get(path, {}), f"{route} is not described: add it to openapi.yaml"


def test_no_file_hides_a_module_of_the_standard_library() -> None:
    assert not set(FILES) & sys.stdlib_module_names
