"""Requests of all kinds, made up from openapi.yaml: the local API takes, refuses and answers them as it says there.

Schemathesis makes the same requests in each run. It is called by its command: its plugin for pytest 9.2 gives all
operations one test id, of which pytest-xdist runs one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3

from local.template import ROOT
from tests.support.local_run import running

SETTINGS = Path(__file__).with_name("fuzz")
FILE = {"mediaType": "image/png", "data": "iVBORw==", "name": "die.png", "offset": 5}
BATCH = {
    "messages": [
        {"role": "system", "content": "You roll dice."},
        {"role": "user", "content": "Roll a die", "name": "Ann", "origin": "user", "files": [FILE]},
        {"role": "reasoning", "content": "A die has six sides."},
        {"role": "assistant", "content": "", "toolCalls": [{"id": "call 1", "name": "roll it", "args": {"sides": 6}}]},
        {"role": "tool", "content": "4", "toolCallId": "call 1", "createdAt": "2026-03-01T12:00:00.000000Z"},
        {"role": "assistant", "content": "Again.", "toolCalls": [{"id": "call 1", "name": "roll it", "args": "?"}]},
        {
            "role": "assistant",
            "content": "It is 4.",
            "original": {"api": "anthropic", "blocks": [{"type": "thinking"}]},
        },
    ]
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a local API without a model, whose conversation is not empty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAT_PROVIDER", "")
        with running(tmp_path_factory.mktemp("state")) as run:
            assert run.process.stdout
            # A server whose output nobody reads stops once the pipe is full.
            reader = threading.Thread(target=run.process.stdout.readlines)
            reader.start()
            path = f"{run.url}/conversations/fuzzed/messages/batch"
            assert urllib3.request("POST", path, json=BATCH, retries=False, timeout=120).status == 201
            yield run.url
            run.stop()
            reader.join()


@pytest.mark.parametrize("settings", sorted(SETTINGS.glob("*.toml")), ids=lambda path: path.stem)
def test_it_does_as_described(settings: Path, url: str, tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("schemathesis"), "--no-color", "--config-file", settings]
    ended = subprocess.run(
        [*command, "run", ROOT / "openapi.yaml", "--url", url],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SETTINGS), "SCHEMATHESIS_HOOKS": "hooks"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
