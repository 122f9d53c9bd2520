"""Every function answers from a container, and `sam local start-api` plays the demo."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3

from local import demo
from local.dynamodb import connect, create_tables, embedded_dynamodb, free_port
from local.template import ROOT, Template
from tests.e2e.containers import Containers, gateway
from tests.e2e.samples import SAMPLES
from tests.support.chat_server import ChatServer, Reply, chat_server


@pytest.fixture(scope="session")
def host() -> str:
    return gateway()


@pytest.fixture(scope="module")
def model(host: str) -> Iterator[ChatServer]:
    with chat_server(host) as server:
        server.otherwise = Reply("Lisbon, by far.")
        yield server


@pytest.fixture(scope="module")
def containers(host: str, build: Path, template: Template, model: ChatServer) -> Iterator[Containers]:
    """All functions on empty tables. A function that another one invokes runs in a container too."""
    port = free_port(host)
    with embedded_dynamodb(host=host) as endpoint:
        create_tables(connect(endpoint), template.tables)
        variables = {"AWS_ENDPOINT_URL_DYNAMODB": endpoint, "AWS_ENDPOINT_URL_LAMBDA": f"http://{host}:{port}"}
        containers = Containers(build, variables, ChatProvider="openai", ChatModel="m", ChatBaseUrl=model.url)
        with containers.serving("start-lambda", host, port):
            yield containers


@pytest.fixture(scope="module")
def api(containers: Containers) -> Iterator[str]:
    with containers.serving("start-api") as url:
        yield url


def test_the_api_plays_the_demo(api: str) -> None:
    demo.play(api)


def test_each_function_answers_its_sample_event(containers: Containers, template: Template) -> None:
    functions = {function.module: function.logical_id for function in template.functions}
    for sample in SAMPLES:
        sample.check(containers.invoke(functions[sample.operation], ROOT / "events" / f"{sample.operation}.json"))


def test_the_worker_does_the_turn_of_a_send(api: str, model: ChatServer) -> None:
    chat = f"{api}/conversations/trip"
    begun = urllib3.request("POST", f"{chat}/send", json={"content": "Lisbon or Berlin?"}, timeout=60, retries=False)
    assert (begun.status, begun.json()) == (202, {"after": 0})
    deadline = time.monotonic() + 120
    while (shown := urllib3.request("GET", f"{chat}/chat", timeout=60, retries=False).json())["running"]:
        assert time.monotonic() < deadline, "the turn has not ended"
        time.sleep(0.2)
    assert [it["content"] for it in shown["messages"]] == ["Lisbon or Berlin?", "Lisbon, by far."]
