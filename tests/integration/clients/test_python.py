"""A client that openapi-python-client generates from openapi.yaml compiles, and loses nothing in any operation."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import urllib3

from tests.integration.clients.conftest import BATCH, TREE
from tests.support.openapi import OPERATIONS, PATH, Described

PACKAGE = "message_log_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the generated package."""
    folder = tmp_path_factory.mktemp("client") / "project"
    command = [
        Path(sys.executable).with_name("openapi-python-client"),
        "generate",
        "--path",
        PATH,
        "--output-path",
        folder,
    ]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # it formats what it writes with ruff
    ended = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    output = ended.stdout + ended.stderr
    assert ended.returncode == 0, output
    assert re.findall("Unsupported.*|Cannot parse.*|ERROR.*", output) == ["Unsupported content type text/plain"]
    return folder


@pytest.fixture(scope="module")
def client(generated: Path, url: str) -> Iterator[Any]:
    """The generated client of the local API."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(generated))
        with importlib.import_module(PACKAGE).Client(base_url=url, timeout=120) as client:
            yield client
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def endpoint(operation: Described) -> ModuleType:
    package = importlib.import_module(f"{PACKAGE}.api")
    modules = [it.name for it in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.api.")]
    (name,) = [
        name for name in modules if name.rpartition(".")[2].rstrip("_") == operation.name and name.count(".") == 3
    ]
    return importlib.import_module(name)


def body_of(operation: Described, form: Any) -> Any:
    """The body as the generated endpoint takes it: the one of its models that gives the form back."""
    models = importlib.import_module(f"{PACKAGE}.models")
    schema = operation.form["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    if hasattr(models, schema):
        return getattr(models, schema).from_dict(form)
    holder = models.Batch if schema == "Message" else None
    if holder:
        return holder.from_dict({"messages": [form]}).messages[0]
    return models.QueuedSpokenMessage.from_dict(form)


def test_it_passes_a_type_checker(generated: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--follow-imports=silent", PACKAGE]
    ended = subprocess.run(command, cwd=generated, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda it: it.name)
def test_an_operation_loses_nothing(operation: Described, client: Any) -> None:
    call = endpoint(operation).sync_detailed
    places = {"role": importlib.import_module(f"{PACKAGE}.models").Role.USER} if "{role}" in operation.path else {}
    conversation = "full" if operation.method == "get" else f"from-{operation.name}"
    for form in operation.bodies or [None]:
        arguments: dict[str, Any] = {}
        if form is not None:
            arguments["body"] = body_of(operation, form)
            assert arguments["body"].to_dict() == form
        reply = call(conversation, **places, client=client, **arguments)
        expected = 503 if operation.name == "send" else None
        assert reply.status_code == expected or 200 <= reply.status_code < 300, reply.content
        assert reply.parsed.to_dict() == json.loads(reply.content)


def test_messages_that_were_read_can_be_appended_again(client: Any, url: str) -> None:
    models = importlib.import_module(f"{PACKAGE}.models")
    by_name = {operation.name: endpoint(operation) for operation in OPERATIONS}
    read = by_name["all"].sync("full", client=client).to_dict()
    batch = models.Batch.from_dict({"messages": read["messages"]})
    assert by_name["append_many"].sync("copy", client=client, body=batch).seq == len(BATCH)
    copied = urllib3.request("GET", f"{url}/conversations/copy/messages", timeout=120).json()["messages"]
    assert [{k: v for k, v in it.items() if k not in ("seq", "at")} for it in copied] == BATCH


def test_a_prompt_tree_that_was_read_can_be_sent_back(client: Any, url: str) -> None:
    """A client that took a prompt for a container would empty the stored prompt."""
    models = importlib.import_module(f"{PACKAGE}.models")
    by_name = {operation.name: endpoint(operation) for operation in OPERATIONS}
    system = by_name["get_system"].sync("full", client=client)
    body = models.NewSystemPrompt.from_dict(system.to_dict())
    by_name["put_system"].sync("full", client=client, body=body)
    assert urllib3.request("GET", f"{url}/conversations/full/system", timeout=120).json()["tree"] == TREE
