"""A service loads prompt files, JSON hooks and tutorials into a chat: once, and again after a clear."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from messagelog.chat import Prompt

from tests.support.chat_server import Reply
from tests.support.chats import Talk, Weather
from tests.support.prompt_files import TUTORIAL, composed, send, write_prompt_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_prompt_files(tmp_path)


class TestPromptFiles:
    def test_each_becomes_a_prompt_under_general_with_its_name(self, talk: Talk, folder: Path) -> None:
        service = talk.service(system_prompt_dir=folder)
        service.load_prompt_files()
        assert composed(service) == (
            "general\n"
            "    persona\n"
            "        You are a pirate.\n"
            "        Speak so.\n"
            "    rules\n"
            "        Never swear — not even “Arr”."
        )
        assert service.chat().system().child("general").prompt("persona").content == "You are a pirate.\nSpeak so."

    def test_other_files_and_folders_are_ignored(self, talk: Talk, tmp_path: Path) -> None:
        for name in ("a.json", "b.markdown", "c", ".md", "d.md.bak", "e.py"):
            (tmp_path / name).write_bytes(b"\xff")
        (tmp_path / "folder.md").mkdir()
        (tmp_path / "folder.md" / "inside.md").write_text("x")
        service = talk.service(system_prompt_dir=tmp_path)
        service.load_prompt_files()
        assert composed(service) == ""

    @pytest.mark.parametrize("as_path", [str, Path])
    def test_a_folder_that_does_not_exist_is_not_created(self, talk: Talk, tmp_path: Path, as_path: Any) -> None:
        missing = tmp_path / "missing"
        service = talk.service(system_prompt_dir=as_path(missing))
        send(talk, service)
        assert not missing.exists()
        assert composed(service) == ""

    def test_nothing_is_written_into_the_folder(self, talk: Talk, tmp_path: Path) -> None:
        send(talk, talk.service(system_prompt_dir=tmp_path, hooks_dir=tmp_path))
        assert not list(tmp_path.iterdir())

    def test_a_byte_order_mark_is_not_text(self, talk: Talk, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_text("x", encoding="utf-8-sig")
        service = talk.service(system_prompt_dir=tmp_path)
        service.load_prompt_files()
        assert service.chat().system().child("general").prompt("a").content == "x"

    def test_a_file_that_is_not_text_is_named(self, talk: Talk, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"\xff\xfe")
        service = talk.service(system_prompt_dir=tmp_path)
        with pytest.raises(ValueError, match=r"a\.md"):
            service.send("y")
        assert not talk.log()
        assert not talk.state.is_running()

    def test_a_prompt_file_replaces_a_container_of_its_name(self, talk: Talk, folder: Path) -> None:
        service = talk.service(system_prompt_dir=folder)
        service.chat().system().child("general").child("persona").prompt("p").set_content("x")
        send(talk, service)
        assert composed(service).startswith("general\n    persona\n        You are a pirate.\n")

    def test_an_unchanged_prompt_is_not_written_again(self, talk: Talk, folder: Path) -> None:
        for _ in range(3):
            talk.service(system_prompt_dir=folder).load_prompt_files()
        assert talk.state.system().version == 1

    def test_other_prompts_of_the_tree_stay(self, talk: Talk, folder: Path) -> None:
        service = talk.service(system_prompt_dir=folder)
        service.chat().system().add(Prompt("Note", "x"))
        service.load_prompt_files()
        assert composed(service).endswith("Note\n    x")

    def test_a_change_by_another_process_in_between_is_kept(
        self, talk: Talk, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service, other = talk.service(system_prompt_dir=folder), talk.chat()
        put = talk.state.put_system

        def second(*arguments: Any, **how: Any) -> Any:
            monkeypatch.undo()
            other.system().prompt("Note").set_content("x")
            return put(*arguments, **how)

        monkeypatch.setattr(talk.state, "put_system", second)
        service.load_prompt_files()
        assert "pirate" in composed(service)
        assert "Note" in composed(service)

    def test_an_unreadable_file_leaves_an_open_turn_open(self, talk: Talk, folder: Path) -> None:
        (folder / "latin.md").write_bytes("Grüße".encode("latin-1"))
        talk.state.release(talk.state.acquire("me", seconds=60, turn="me"))
        with pytest.raises(ValueError, match="UTF-8"):
            talk.service(system_prompt_dir=folder).send("u")
        talk.service().queue().user("queued")
        talk.server.script(Reply("r"))
        assert len(talk.service().resume("me")) == 2

    def test_init_loads_them_once_and_load_prompt_files_always(self, talk: Talk, folder: Path) -> None:
        service = talk.service(system_prompt_dir=folder)
        service.init()
        (folder / "persona.md").write_text("You are a parrot.")
        service.init()
        send(talk, service)
        assert "pirate" in talk.asked()[0][1]
        service.load_prompt_files()
        send(talk, service)
        assert "parrot" in talk.asked()[0][1]

    def test_the_first_send_has_them(self, talk: Talk, folder: Path) -> None:
        send(talk, talk.service(system_prompt_dir=folder))
        assert "pirate" in talk.asked()[0][1]


def write_hook(folder: Path, name: str = "hook.json", **changes: Any) -> None:
    log = {"target": "chat", "roles": ["user"], "label": "heard", "actions": [{"type": "log"}], **changes}
    (folder / name).write_text(json.dumps(log))


def heard(caplog: pytest.LogCaptureFixture) -> int:
    count = sum("heard" in record.getMessage() for record in caplog.records)
    caplog.clear()
    return count


class TestJsonHooks:
    @pytest.fixture(autouse=True)
    def _level(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO)

    def test_init_loads_them_once(self, talk: Talk, tmp_path: Path, caplog: Any) -> None:
        write_hook(tmp_path)
        service = talk.service(hooks_dir=tmp_path)
        send(talk, service)
        assert heard(caplog) == 1
        service.init()
        send(talk, service)
        assert heard(caplog) == 1

    def test_after_a_clear_they_are_gone_until_init(self, talk: Talk, tmp_path: Path, caplog: Any) -> None:
        write_hook(tmp_path)
        service = talk.service(hooks_dir=tmp_path)
        service.init()
        service.clear()
        service.chat().user("x")
        assert heard(caplog) == 0
        send(talk, service)
        assert heard(caplog) == 1

    def test_a_bad_file_is_reported_and_skipped(self, talk: Talk, tmp_path: Path, caplog: Any) -> None:
        write_hook(tmp_path)
        write_hook(tmp_path, "bad.json", regex="(")
        send(talk, talk.service(hooks_dir=tmp_path))
        assert "bad.json" in caplog.text
        assert heard(caplog) == 1

    def test_a_missing_folder_is_not_an_error(self, talk: Talk, tmp_path: Path) -> None:
        send(talk, talk.service(hooks_dir=tmp_path / "missing"))
        assert not (tmp_path / "missing").exists()


class TestTutorials:
    def test_they_are_in_the_prompt_that_is_sent(self, talk: Talk) -> None:
        service = talk.service()
        service.tools().add(Weather())
        send(talk, service)
        assert talk.asked()[0] == ("system", TUTORIAL)

    def test_after_the_chat_was_cleared_they_can_be_put_back(self, talk: Talk) -> None:
        service = talk.service()
        service.tools().add(Weather())
        service.chat().clear()
        assert composed(service) == ""
        service.reset_tutorials()
        assert composed(service) == TUTORIAL
