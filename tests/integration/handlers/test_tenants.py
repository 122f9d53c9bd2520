"""With tenants, nobody reaches another tenant's conversation, whatever the names and whichever the function."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.chat_functions import Worker, send
from tests.support.chat_server import ChatServer, Reply
from tests.support.http_api import CHAT_OPERATIONS, OPERATIONS, HttpApi, Received, handler_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Event = Callable[..., dict[str, Any]]
LOOK_ALIKE = st.text("ab\\|:.# \u200d", min_size=1, max_size=4).filter(
    lambda name: name.strip() and name not in (".", "..")
)


@dataclass
class Tenant:
    """Makes a sample event one of a caller whose token names this tenant."""

    event: Event
    claims: dict[str, Any]

    def __call__(self, operation: str, **changes: Any) -> dict[str, Any]:
        event = self.event(operation, **changes)
        if operation != "send_worker":
            event["requestContext"]["authorizer"] = {"jwt": {"claims": self.claims, "scopes": None}}
        return event


@pytest.fixture
def of(chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], HttpApi]:
    """`of(tenant, conversation)`: the API as a caller of that tenant uses it."""
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    return lambda tenant, conversation: replace(
        chat_api, event=Tenant(chat_api.event, {"tenant": tenant}), conversation=conversation
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(LOOK_ALIKE, LOOK_ALIKE), min_size=2, max_size=4, unique=True))
def test_each_tenant_and_conversation_is_its_own_log(
    of: Callable[[str, str], HttpApi], pairs: list[tuple[str, str]]
) -> None:
    apis = [of(tenant, conversation) for tenant, conversation in pairs]
    before = [api.contents() for api in apis]
    for index, api in enumerate(apis):
        assert api.post("add", f"{index} {pairs}", headers={"content-type": "text/plain"}).status == 201
    for index, (api, seen) in enumerate(zip(apis, before, strict=True)):
        assert api.contents() == [*seen, f"{index} {pairs}"]


def test_a_chat_and_its_worker_stay_with_their_tenant(
    of: Callable[[str, str], HttpApi], work: Worker, scripted: ChatServer
) -> None:
    mine, others = of("acme", "ship"), of("umbrella", "ship")
    scripted.script(Reply("Aye!"))
    general = {"id": "general", "children": [{"id": "persona", "content": "Be a pirate."}]}
    assert mine.post("put_system", {"tree": {"children": [general]}}).status == 200
    assert send(mine, "Hello").status == 202
    work.run()
    assert mine.chat() == ["Hello", "Aye!"]
    assert others.chat() == others.contents() == []
    assert "pirate" not in others.get("get_system").body.decode()
    assert others.post("clear", {}).status == 200
    assert mine.chat() == ["Hello", "Aye!"]


@pytest.mark.parametrize("operation", [*OPERATIONS, *CHAT_OPERATIONS])
@pytest.mark.parametrize("claims", [{}, {"tenant": " "}, {"tenant": "[a b]"}], ids=repr)
def test_no_function_serves_a_caller_without_a_tenant(
    chat_api: HttpApi, chat_table: DynamoDBClient, monkeypatch: pytest.MonkeyPatch, operation: str, claims: Any
) -> None:
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    reply = replace(chat_api, event=Tenant(chat_api.event, claims)).send(operation)
    assert reply.status == 403
    assert "tenant" in reply.json["detail"]
    assert all(chat_table.scan(TableName=table)["Count"] == 0 for table in ("MessageTable", "ChatTable"))


def test_a_caller_without_a_tenant_is_told_so_first(chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    api = replace(chat_api, event=Tenant(chat_api.event, {}))
    assert api.get("all", after="x").status == 403


def test_conversations_from_before_tenants_have_no_tenant(
    of: Callable[[str, str], HttpApi], chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "")
    old = replace(chat_api, conversation="acme|notes")
    assert old.post("append", {"role": "user", "content": "old"}).status == 201
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    for tenant, conversation in [("acme", "notes"), ("acme", "acme|notes"), ("acme|notes", "notes")]:
        assert of(tenant, conversation).contents() == []


@pytest.mark.parametrize("operation", [*OPERATIONS, *CHAT_OPERATIONS])
@pytest.mark.parametrize("claims", [{"tenant": "acme"}, {}, None], ids=repr)
def test_a_token_without_a_configured_claim_is_refused(
    chat_api: HttpApi, chat_table: DynamoDBClient, monkeypatch: pytest.MonkeyPatch, operation: str, claims: Any
) -> None:
    """During an update from JWT to IAM, the functions lose the claim before the API loses its authorizer."""
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "")
    reply = replace(chat_api, event=Tenant(chat_api.event, claims)).send(operation)
    assert (reply.status, "no claim is configured" in reply.json["detail"]) == (403, True)
    assert all(chat_table.scan(TableName=table)["Count"] == 0 for table in ("MessageTable", "ChatTable"))


@pytest.mark.parametrize("operation", [*OPERATIONS, *CHAT_OPERATIONS])
def test_a_claim_without_a_token_is_refused(
    chat_api: HttpApi, chat_table: DynamoDBClient, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    """During an update from IAM to JWT, the functions have the claim before the API has its authorizer."""
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    assert chat_api.send(operation).status == 403
    assert all(chat_table.scan(TableName=table)["Count"] == 0 for table in ("MessageTable", "ChatTable"))


@pytest.mark.parametrize(
    ("claim", "jwt", "code"),
    [
        ("", {"claims": {}}, "TenantClaimNotConfigured"),
        ("tenant", {"claims": {}}, "TenantClaimMissing"),
        ("tenant", None, "NoToken"),
    ],
)
def test_the_log_says_why_the_tenant_is_missing(
    chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch, claim: str, jwt: Any, code: str
) -> None:
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", claim)
    written = StringIO()
    monkeypatch.setattr(
        importlib.import_module("messagelog.api.operation").logger.registered_handler, "stream", written
    )
    event = chat_api.event("count")
    event["requestContext"]["authorizer"] = {"jwt": jwt}
    assert Received.of(handler_of("count")(event, None)).status == 403
    assert json.loads(written.getvalue())["code"] == code
