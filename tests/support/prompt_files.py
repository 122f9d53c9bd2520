"""What the tests of prompt files and tutorials share."""

from __future__ import annotations

from pathlib import Path

from messagelog.chat import ChatService

from tests.support.chat_server import Reply
from tests.support.chats import Talk

TUTORIAL = """\
tutorials
    Tool Package Weather
        Applicability
            get_weather
        Tutorial
            Ask for one city at a time."""


def composed(service: ChatService) -> str:
    return service.chat().system().compose()


def send(talk: Talk, service: ChatService) -> None:
    talk.server.script(Reply("ok"))
    service.send("y")


def write_prompt_files(folder: Path) -> Path:
    (folder / "persona.md").write_text("You are a pirate.\nSpeak so.\n", encoding="utf-8")
    (folder / "rules.txt").write_text("Never swear — not even “Arr”.", encoding="utf-8")
    return folder
