"""`make demo`: plays a short conversation through the local API, shows what each view returns, and checks it all."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import urllib3
from werkzeug.serving import make_server

from local import runtime
from local.api import LocalApi
from local.dynamodb import HOST, DynamoDBError, connect, create_tables, embedded_dynamodb
from local.template import TemplateError, read_template

_PATH = "/conversations/demo/messages"
_TURNS: list[dict[str, Any]] = [
    {"role": "system", "content": "You are a travel agent. Be brief."},
    {"role": "user", "content": "Which is warmer now, Lisbon or Tromsø? 🌡️"},
    {
        "role": "assistant",
        "content": "I will look both up.",
        "toolCalls": [
            {"id": "call_1", "name": "get_weather", "args": {"city": "Lisbon"}},
            {"id": "call_2", "name": "get_weather", "args": {"city": "Tromsø"}},
        ],
    },
    {"role": "tool", "content": "21.5 °C", "toolCallId": "call_1"},
    {"role": "tool", "content": "-3 °C", "toolCallId": "call_2"},
    {"role": "assistant", "content": "Lisbon, by 24.5 degrees."},
]
_BATCH: list[dict[str, Any]] = [
    {"role": "user", "content": "Then book Lisbon."},
    {"role": "assistant", "content": "Done."},
]
_VIEWS = {
    "openai": ["system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant"],
    "anthropic": ["user", "assistant", "user", "assistant", "user", "assistant"],
    "bedrock": ["user", "assistant", "user", "assistant", "user", "assistant"],
    "langchain": ["system", "user", "assistant", "assistant", "user", "assistant"],
}


class DemoError(Exception):
    """The API did not answer as the contract says."""


def main() -> int:
    """Play the demo on a server and tables of its own; returns the exit code."""
    try:
        with _api() as url:
            play(url)
    except (DemoError, DynamoDBError, TemplateError) as error:
        print(f"The demo failed. {error}", file=sys.stderr)
        return 1
    print("\nThe demo passed.")
    return 0


def play(url: str) -> None:
    """Play the demo on the API at `url`, whose conversation `demo` is empty. Raises DemoError if an answer is wrong."""
    client = _Client(url)
    print(f"Append {len(_TURNS)} messages, one at a time:")
    for seq, turn in enumerate(_TURNS, start=1):
        client.expect("POST", _PATH, {"seq": seq}, turn)
    print(f"\nAppend {len(_BATCH)} more in one batch, all or none:")
    total = len(_TURNS) + len(_BATCH)
    client.expect("POST", f"{_PATH}/batch", {"seq": total}, {"messages": _BATCH})
    client.expect("GET", f"{_PATH}/count", {"count": total})
    print("\nRead all by cursor, three at a time:")
    _check("reading by cursor", _plain(_read_by_cursor(client)), [*_TURNS, *_BATCH])
    for view, roles in _VIEWS.items():
        print(f"\nThe view for {view}:")
        messages = client.call("GET", f"{_PATH}/{view}")["messages"]
        print(json.dumps(messages, indent=2, ensure_ascii=False))
        _check(f"the roles for {view}", [message["role"] for message in messages], roles)


def _read_by_cursor(client: _Client) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = client.call("GET", f"{_PATH}?after={after}&limit=3")
        messages += page["messages"]
        after = page["next"]
    return messages


def _plain(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what the log adds to a message."""
    return [{name: value for name, value in m.items() if name not in ("seq", "at")} for m in messages]


def _check(what: str, actual: object, right: object) -> None:
    if actual != right:
        raise DemoError(f"At {what}: expected {right!r}, got {actual!r}.")


class _Client:
    """Calls the API and prints each exchange in a line."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = urllib3.PoolManager(retries=False, timeout=60)

    def call(self, method: str, path: str, body: object = None) -> Any:
        if body is None:
            reply = self._http.request(method, self._url + path)
        else:
            reply = self._http.request(method, self._url + path, json=body)
        text = reply.data.decode()
        if reply.status >= 400:
            raise DemoError(f"{method} {path} answered {reply.status}: {text}")
        print(f"  {method} {path} -> {reply.status} {text if len(text) <= 100 else text[:100] + '…'}")
        return json.loads(text)

    def expect(self, method: str, path: str, right: object, body: object = None) -> None:
        _check(f"{method} {path}", self.call(method, path, body), right)


@contextmanager
def _api() -> Iterator[str]:
    template = read_template()
    with embedded_dynamodb() as endpoint:
        create_tables(connect(endpoint), template.tables)
        runtime.prepare(template, endpoint, POWERTOOLS_LOG_LEVEL="WARNING")
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        server = make_server(HOST, 0, LocalApi(template.routes, log=None), threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()


if __name__ == "__main__":
    sys.exit(main())
