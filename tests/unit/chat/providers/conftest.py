"""A scripted server for each provider. A test uses all steps that it scripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.bedrock_server import Bedrock, serving
from tests.support.chat_server import ChatServer, chat_server


@pytest.fixture(scope="module")
def running_bedrock() -> Iterator[Bedrock]:
    server = Bedrock()
    with serving(server):
        yield server


@pytest.fixture
def bedrock(running_bedrock: Bedrock) -> Iterator[Bedrock]:
    running_bedrock.requests.clear()
    yield running_bedrock
    assert not running_bedrock.steps


@pytest.fixture(scope="module")
def running_server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def server(running_server: ChatServer) -> Iterator[ChatServer]:
    running_server.requests.clear()
    yield running_server
    assert not running_server.steps_left
