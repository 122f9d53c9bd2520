"""A local API with a conversation that has everything, for the clients that are generated from openapi.yaml."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3

from tests.support.local_run import running

BATCH: list[dict[str, Any]] = [
    {"role": "system", "content": "You roll dice."},
    {"role": "user", "content": "Roll", "name": "Ann", "files": [{"mediaType": "image/png", "data": "iVBORw=="}]},
    {"role": "user", "content": "this", "files": [{"mediaType": "image/png", "url": "https://example.com/a.png"}]},
    {"role": "reasoning", "content": "A die has six sides."},
    {"role": "assistant", "content": "", "toolCalls": [{"id": "call_1", "name": "roll", "args": {"sides": [6, 1.5]}}]},
    {"role": "tool", "content": "4", "toolCallId": "call_1", "createdAt": "2026-03-01T12:00:00.000000Z"},
    {
        "role": "assistant",
        "content": "Four.",
        "origin": "model",
        "original": {"api": "anthropic", "model": "m", "blocks": [{"type": "text", "text": "Four."}]},
    },
]
TREE: dict[str, Any] = {
    "title": "Ship",
    "children": [
        {
            "id": "general",
            "title": "general",
            "children": [
                {"id": "persona", "title": "persona", "content": "You are a pirate."},
                {"id": "more", "title": "more", "children": [{"id": "deep", "title": "deep", "content": "Speak so."}]},
            ],
        },
        {"id": "tutorials", "title": "tutorials", "children": []},
    ],
}


@pytest.fixture(scope="package")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a local API without a model. The conversation `full` has messages and a prompt tree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAT_PROVIDER", "")
        with running(tmp_path_factory.mktemp("state")) as run:
            assert run.process.stdout
            # A server whose output nobody reads stops once the pipe is full.
            reader = threading.Thread(target=run.process.stdout.readlines)
            reader.start()
            full = f"{run.url}/conversations/full"
            assert (
                urllib3.request("POST", f"{full}/messages/batch", json={"messages": BATCH}, timeout=120).status == 201
            )
            assert urllib3.request("PUT", f"{full}/system", json={"tree": TREE}, timeout=120).status == 200
            yield run.url
            run.stop()
            reader.join()
