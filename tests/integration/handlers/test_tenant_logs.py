"""A log line shows the hash of the caller's tenant, never its name, so that a tenant's requests can be found."""

from __future__ import annotations

import importlib
import json
from hashlib import sha256
from io import StringIO
from typing import Any

import pytest

from tests.support.chat_functions import Worker, send
from tests.support.chat_server import ChatServer, Reply
from tests.support.http_api import HttpApi

ACME = sha256(b"acme").hexdigest()[:16]


class Caller:
    """Makes each sample event one of a caller with these claims."""

    def __init__(self, event: Any, claims: dict[str, str]) -> None:
        self.event, self.claims = event, claims

    def __call__(self, operation: str, **changes: Any) -> dict[str, Any]:
        event: dict[str, Any] = self.event(operation, **changes)
        if operation != "send_worker":
            event["requestContext"]["authorizer"] = {"jwt": {"claims": self.claims, "scopes": None}}
        return event


@pytest.fixture
def api(chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> HttpApi:
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    return HttpApi(Caller(chat_api.event, {"tenant": "acme"}), conversation="ship", context=chat_api.context)


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """Everything that the functions log."""
    stream = StringIO()
    handler = importlib.import_module("messagelog.api.operation").logger.registered_handler
    monkeypatch.setattr(handler, "stream", stream)
    return stream


def lines(output: StringIO) -> list[dict[str, Any]]:
    assert "acme" not in output.getvalue()
    parsed = [json.loads(line) for line in output.getvalue().splitlines()]
    return [line for line in parsed if line["message"] == "request"]


def test_a_request_logs_the_hash_of_its_tenant(api: HttpApi, output: StringIO) -> None:
    api.post("append", {"role": "user", "content": "Hi"})
    api.get("count")
    assert [line["tenant"] for line in lines(output)] == [ACME, ACME]


def test_a_refused_name_still_logs_the_tenant(api: HttpApi, output: StringIO) -> None:
    assert api.send("count", pathParameters={"conversation": ".."}).status == 400
    assert [line["tenant"] for line in lines(output)] == [ACME]


def test_a_worker_logs_the_hash_of_its_tenant(
    api: HttpApi, work: Worker, scripted: ChatServer, output: StringIO
) -> None:
    scripted.script(Reply("Aye!"))
    assert send(api, "Hello").status == 202
    work.run()
    logged = lines(output)
    assert [(line["operation"], line["tenant"]) for line in logged] == [("send", ACME), ("send_worker", ACME)]
    assert len({line["conversation"] for line in logged}) == 1


def test_without_tenants_no_line_has_one(chat_api: HttpApi, output: StringIO) -> None:
    chat_api.get("count")
    assert [line for line in lines(output) if "tenant" in line] == []
