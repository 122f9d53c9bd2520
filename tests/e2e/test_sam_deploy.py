"""`sam deploy` creates the whole template on an emulated AWS, and each function answers there."""

import hashlib
import io
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3

from local.template import ROOT, Template
from tests.e2e.samples import SAMPLES, Sample
from tests.e2e.stack import Stack, emulated_aws
from tests.support.chat_server import ChatServer, Reply, chat_server

PROBE = """
import hashlib, importlib, pathlib

def handler(event, context):
    importlib.import_module(event["module"])
    folder = pathlib.Path(importlib.import_module(event["package"]).__file__).parent
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.py")}
    return {"folder": str(folder), "files": {name: hashlib.sha256(text).hexdigest() for name, text in found.items()}}
"""


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture(scope="module")
def stack(build: Path, template: Template, model: ChatServer) -> Iterator[Stack]:
    """The template as it is, deployed with a model that always gives the same answer."""
    if sys.version_info[:2] != (3, 13):
        pytest.skip("MiniStack runs the functions with its own Python, and the layers are for 3.13: make .venv with it")
    model.otherwise = Reply("Lisbon, by far.")
    with emulated_aws(template) as stack:
        stack.deploy(build, ChatProvider="openai", ChatModel="m", ChatBaseUrl=model.url)
        yield stack


@pytest.fixture(scope="module")
def replies(stack: Stack) -> dict[str, Any]:
    """The answer of each function to its sample event, one after the other."""
    functions = stack.functions()
    return {sample.operation: stack.invoke(functions[sample.operation], sample.event) for sample in SAMPLES}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.operation)
def test_a_function_answers_its_sample_event(sample: Sample, replies: dict[str, Any]) -> None:
    sample.check(replies[sample.operation])


def test_the_worker_does_the_turn_of_a_send(stack: Stack, replies: dict[str, Any]) -> None:
    chat = Sample("chat_messages", 200, lambda body: body["running"], False)
    function = stack.functions()["chat_messages"]
    deadline = time.monotonic() + 60
    while '"running":true' in (reply := stack.invoke(function, chat.event))["body"]:
        assert time.monotonic() < deadline, "the turn has not ended"
        time.sleep(0.1)
    chat.check(reply)
    assert "Lisbon, by far." in reply["body"]


def test_a_late_worker_does_nothing(stack: Stack, replies: dict[str, Any]) -> None:
    event = (ROOT / "events" / "send_worker.json").read_bytes()
    assert stack.invoke(stack.functions()["send_worker"], event) is None


@pytest.mark.parametrize(
    ("operation", "package", "layer"),
    [
        ("append", "messagelog", "MessageLogLayer"),
        ("append", "aws_lambda_powertools", "MessageLogLayer"),
        ("send_worker", "openai", "OpenaiLayer"),
    ],
)
def test_a_function_imports_the_layer_that_was_built(
    operation: str, package: str, layer: str, stack: Stack, build: Path
) -> None:
    name = add_probe(stack, operation)
    found = stack.invoke(name, f'{{"module": "{operation}", "package": "{package}"}}'.encode())
    folder = Path(found["folder"])
    assert not folder.is_relative_to(ROOT)
    assert not folder.is_relative_to(sys.prefix)
    assert folder.parent.name == "python"
    built = build / layer / "python" / package
    assert found["files"] == {
        str(path.relative_to(built)): hashlib.sha256(path.read_bytes()).hexdigest() for path in built.rglob("*.py")
    }


def add_probe(stack: Stack, operation: str) -> str:
    """Deploy the operation's function again, with one more file in its code: the probe, which is the handler."""
    client = stack.client("lambda")
    deployed = client.get_function(FunctionName=stack.functions()[operation])
    code = io.BytesIO(urllib3.request("GET", deployed["Code"]["Location"]).data)
    with zipfile.ZipFile(code, "a") as archive:
        archive.writestr("probe.py", PROBE)
    settings = deployed["Configuration"]
    name: str = client.create_function(
        FunctionName=f"probe-of-{operation}-{time.monotonic_ns()}",
        Handler="probe.handler",
        Code={"ZipFile": code.getvalue()},
        Layers=[it["Arn"] for it in settings["Layers"]],
        Environment={"Variables": settings["Environment"]["Variables"]},
        **{key: settings[key] for key in ("Runtime", "Role", "Timeout", "MemorySize")},
    )["FunctionName"]
    return name


def test_a_deleted_stack_leaves_its_tables(stack: Stack) -> None:
    """The last test, because it removes the functions."""
    outputs, functions = stack.outputs(), {*stack.functions().values()}
    stack.delete()
    assert {outputs["MessageTableName"], outputs["ChatTableName"]} <= {
        *stack.client("dynamodb").list_tables()["TableNames"]
    }
    assert not functions & {it["FunctionName"] for it in stack.client("lambda").list_functions()["Functions"]}
