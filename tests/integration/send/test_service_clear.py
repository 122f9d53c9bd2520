"""A cleared service begins again: no messages, no tools, no hooks, and its files are loaded once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.chat_server import Reply
from tests.support.chats import Talk, Weather, call
from tests.support.prompt_files import composed, send, write_prompt_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_prompt_files(tmp_path)


class TestClear:
    def test_nothing_is_left_but_the_queue(self, talk: Talk, folder: Path) -> None:
        service, events = talk.service(system_prompt_dir=folder), []
        service.tools().add(Weather())
        for builder in (service.hook().message(), service.hook().stream(), service.hook().tool()):
            builder.do(events.append)
        send(talk, service)
        events.clear()
        service.queue().user("queued")
        service.clear()
        assert service.chat().messages() == service.chat().historic_messages() == []
        assert service.chat().get_system() is None
        assert service.tools().tools() == []
        service.reset_tutorials()
        assert composed(service) == ""
        talk.server.script(Reply(calls=[call("c1")]), Reply("ok"))
        service.send()
        assert not events, "no hook is left"
        assert "tools" not in talk.server.last_request
        assert talk.asked()[1] == ("user", "queued")
        assert talk.asked()[-1][1].startswith("Error: UnknownToolError")

    def test_the_next_send_runs_init_again(self, talk: Talk, folder: Path) -> None:
        service = talk.service(system_prompt_dir=folder)
        send(talk, service)
        service.clear()
        assert service.chat().get_system() is None
        (folder / "persona.md").write_text("You are a parrot.")
        send(talk, service)
        assert "parrot" in talk.asked()[0][1]

    def test_the_root_of_the_tree_stays_the_same(self, talk: Talk) -> None:
        service = talk.service()
        root = service.chat().system()
        service.clear()
        assert service.chat().system() is root

    def test_a_flat_prompt_stays(self, talk: Talk) -> None:
        service = talk.service(system_prompt="Be brief.")
        service.clear()
        send(talk, service)
        assert talk.asked()[0] == ("system", "Be brief.")


def test_a_service_always_gives_the_same_parts(talk: Talk) -> None:
    service = talk.service()
    assert service.chat() is service.chat()
    assert service.queue() is service.queue()
    assert service.tools() is service.tools()
