"""The runbook's step for a failed turn works for stacks with and without tenants."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from messagelog.api.worker import DeliveryFailedError

from tests.support.chat_functions import Worker, progress, send, turns
from tests.support.chat_server import ChatServer, Refuse, Reply
from tests.support.http_api import HttpApi
from tests.support.pages import blocks

MESSAGE_HANDLE = "handle-1"


@pytest.fixture(params=[None, "acme"], ids=["without tenants", "of a tenant"])
def api(request: pytest.FixtureRequest, chat_api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> HttpApi:
    """The API as a caller uses it, in a stack without tenants and in one with them."""
    if request.param is None:
        return chat_api
    monkeypatch.setenv("MESSAGELOG_TENANT_CLAIM", "tenant")
    authorizer = {"jwt": {"claims": {"tenant": request.param}, "scopes": None}}
    sample: Callable[..., dict[str, Any]] = chat_api.event

    def event(operation: str, **changes: Any) -> dict[str, Any]:
        made = sample(operation, **changes)
        made["requestContext"]["authorizer"] = authorizer
        return made

    return replace(chat_api, event=event)


def extracted(received: dict[str, Any], tmp_path: Any) -> dict[str, Any]:
    """The event that the runbook's command takes from what `aws sqs receive-message` printed."""
    (tmp_path / "failed.json").write_text(json.dumps(received), encoding="utf-8")
    (block,) = [block.text for block in blocks("docs/operations.md") if "event.json" in block.text]
    (command,) = [line for line in block.splitlines() if "> event.json" in line]
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, check=True)
    event: dict[str, Any] = json.loads((tmp_path / "event.json").read_bytes())
    return event


def test_a_failed_turn_is_done_by_its_event_and_once(
    api: HttpApi, scripted: ChatServer, work: Worker, tmp_path: Any
) -> None:
    scripted.script(Refuse(400))
    send(api, "Ahoy?")
    with pytest.raises(DeliveryFailedError):
        work.run()
    assert progress(api) == (False, True)
    body = json.dumps(work.events[-1])
    received = {"Messages": [{"MessageId": "1", "ReceiptHandle": MESSAGE_HANDLE, "Body": body}]}
    event = extracted(received, tmp_path)
    scripted.script(Reply("Ahoy!"))
    work.run(event)
    assert turns(api) == [("user", "Ahoy?"), ("assistant", "Ahoy!")]
    assert progress(api) == (False, False)
    work.run(event)
    assert turns(api) == [("user", "Ahoy?"), ("assistant", "Ahoy!")]


def test_the_message_is_deleted_by_the_handle_it_came_with(tmp_path: Any) -> None:
    (tmp_path / "failed.json").write_text(json.dumps({"Messages": [{"ReceiptHandle": MESSAGE_HANDLE}]}))
    (block,) = [block.text for block in blocks("docs/operations.md") if "HANDLE=" in block.text]
    (command,) = [line for line in block.splitlines() if line.startswith("HANDLE=")]
    script = f'{command}\nprintf %s "$HANDLE"'
    assert subprocess.check_output(["bash", "-euc", script], cwd=tmp_path, text=True) == MESSAGE_HANDLE


def test_the_hash_of_the_runbook_is_that_of_the_logs() -> None:
    from messagelog.api.request import conversation_hash
    from messagelog.api.tenants import partition_key

    (block,) = [block for block in blocks("docs/operations.md", "sh") if "sha256sum" in block.text]
    assert block.shown.split() == [
        conversation_hash("support-4711"),
        conversation_hash(partition_key("acme", "support-4711")),
    ]
