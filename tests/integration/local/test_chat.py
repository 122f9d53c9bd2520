"""A chat on the local API, in a process of its own, with a model that says what a script tells it."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from threading import Event
from typing import Any
from uuid import uuid4

import pytest

from local.template import ROOT
from tests.support.chat_server import ChatServer, Refuse, Reply, chat_server
from tests.support.local_run import Run, running

PIRATE = {"children": [{"id": "general", "children": [{"id": "persona", "content": "You are a pirate."}]}]}


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture(scope="module")
def run(server: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    variables = {"CHAT_PROVIDER": "openai", "CHAT_MODEL": "m", "CHAT_BASE_URL": server.url}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**variables, "CHAT_SETUP": "examples.dice:setup"}.items():
            patch.setenv(name, value)
        with running(tmp_path_factory.mktemp("state")) as run:
            yield run


class Chat:
    """A chat of its own for a test."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.path = f"/conversations/{uuid4().hex}"

    def post(self, path: str, body: object) -> tuple[int, Any]:
        return self.run.request("POST", f"{self.path}{path}", json=body)

    def messages(self) -> list[tuple[str, str]]:
        """Role and content of the chat's messages, once no turn is running."""
        while True:
            status, shown = self.run.request("GET", f"{self.path}/chat")
            assert status == 200
            if not shown["running"]:
                return turns(shown)
            time.sleep(0.05)


@pytest.fixture
def chat(run: Run, server: ChatServer) -> Iterator[Chat]:
    yield Chat(run)
    assert not server.steps_left


def turns(shown: dict[str, Any]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in shown["messages"]]


def test_the_pirate_answers(chat: Chat, server: ChatServer) -> None:
    server.script(Reply("Ahoy!"))
    assert chat.run.request("PUT", f"{chat.path}/system", json={"tree": PIRATE})[0] == 200
    status, shown = chat.post("/send?wait=25", {"content": "Hello!"})
    assert (status, shown["next"], shown["running"], shown["failed"]) == (200, None, False, False)
    assert turns(shown) == chat.messages() == [("user", "Hello!"), ("assistant", "Ahoy!")]
    system, user = server.last_request["messages"]
    assert user == {"role": "user", "content": "Hello!"}
    assert system["content"].startswith("general\n    persona\n        You are a pirate.\n")


def pasted(document: str, section: str, run: Run) -> list[Any]:
    """Returns what the curl lines of a section print, with the address of this run instead of that of `make run`."""
    text = (ROOT / document).read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    (lines,) = (block for block in re.findall("```sh\n(.*?)```", text, re.DOTALL) if "curl" in block)
    assert "http://127.0.0.1:3000" in lines
    script = lines.replace("http://127.0.0.1:3000", run.url).replace("\ncurl", "\necho; curl")
    printed = subprocess.check_output(["bash", "-c", script], text=True)
    return [json.loads(line) for line in printed.splitlines() if line]


def test_the_chat_section_of_the_readme_works_as_pasted(run: Run, server: ChatServer) -> None:
    server.script(Reply("Ahoy, matey!"))
    system, sent, shown = pasted("README.md", "Chat", run)
    assert "You are a pirate." in system["text"]
    assert turns(sent) == turns(shown)[-2:] == [("user", "Hello!"), ("assistant", "Ahoy, matey!")]


def test_the_http_section_of_the_guide_works_as_pasted(run: Run, server: ChatServer) -> None:
    server.script(Reply("Ahoy, matey!"))
    queued, sent, shown = pasted("docs/chat.md", "Over HTTP", run)
    assert queued == {"queued": True}
    assert turns(sent) == turns(shown)[-2:] == [("user", "Ahoy!"), ("assistant", "Ahoy, matey!")]


def test_a_send_that_does_not_wait_is_done_in_the_background(chat: Chat, server: ChatServer) -> None:
    server.script(Reply("Ahoy!"))
    assert chat.post("/send", {"content": "Hello!"}) == (202, {"after": 0})
    assert chat.messages() == [("user", "Hello!"), ("assistant", "Ahoy!")]


def test_a_turn_that_takes_longer_than_its_caller_waits_goes_on(chat: Chat, server: ChatServer) -> None:
    go_on = Event()
    server.script(Reply("At last.", before_end=go_on.wait))
    assert chat.post("/send?wait=1", {"content": "Hello!"}) == (202, {"after": 0})
    assert chat.post("/send", {"content": "Hurry!"})[0] == 409
    assert chat.post("/clear", {})[0] == 409
    assert chat.post("/queue", {"role": "user", "content": "Thanks."})[0] == 202
    go_on.set()
    assert chat.messages() == [("user", "Hello!"), ("assistant", "At last.")], "what was queued waits for the next send"
    server.script(Reply("Welcome."))
    assert turns(chat.post("/send?wait=25", {})[1]) == [("user", "Thanks."), ("assistant", "Welcome.")]


def test_a_turn_that_fails_leaves_what_was_said(chat: Chat, server: ChatServer) -> None:
    server.script(Refuse(400))
    assert chat.post("/send?wait=25", {"content": "Hello!"}) == (202, {"after": 0})
    assert chat.messages() == [("user", "Hello!")]
    assert chat.run.request("GET", f"{chat.path}/chat")[1]["failed"] is True


def test_the_example_rolls_dice(chat: Chat, server: ChatServer) -> None:
    server.script(Reply(calls=[("call_1", "roll_dice", '{"sides": 1}')]), Reply("A one!"))
    _, shown = chat.post("/send?wait=25", {"content": "Roll!"})
    assert [role for role, _ in turns(shown)] == ["user", "assistant", "tool", "assistant"]
    assert turns(shown)[2] == ("tool", "1")
    (tool,) = server.last_request["tools"]
    assert tool["function"]["name"] == "roll_dice"
    assert "Never make up a number: roll." in server.last_request["messages"][0]["content"]
