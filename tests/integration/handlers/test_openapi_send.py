"""The answers to a send that takes a model, which the fuzzing does without, are those of openapi.yaml."""

from __future__ import annotations

from typing import Any

import yaml
from openapi_schema_validator import OAS30Validator

from local.template import ROOT
from tests.integration.handlers.test_send_waits import Waiting, wait, waiting
from tests.support.chat_functions import Worker, send
from tests.support.chat_server import ChatServer, Reply
from tests.support.http_api import HttpApi, Received

__all__ = ["waiting"]

DOCUMENT: dict[str, Any] = yaml.safe_load((ROOT / "openapi.yaml").read_text(encoding="utf-8"))
ANSWERS = DOCUMENT["paths"]["/conversations/{conversation}/send"]["post"]["responses"]


def check(reply: Received, status: int, media_type: str = "application/json") -> None:
    """Fails unless the reply has this status, and the form that is described for it."""
    assert reply.status == status
    answer = ANSWERS[str(status)]
    if "$ref" in answer:
        answer = DOCUMENT["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    OAS30Validator({**answer["content"][media_type]["schema"], "components": DOCUMENT["components"]}).validate(
        reply.json
    )


def test_a_turn_that_has_started_and_another_send_meanwhile(chat_api: HttpApi) -> None:
    check(send(chat_api, "Hello!"), 202)
    check(send(chat_api, "Hello?"), 409, "application/problem+json")


def test_an_answer_that_was_waited_for(chat_api: HttpApi, scripted: ChatServer, work: Worker, waiting: Waiting) -> None:
    scripted.script(Reply("Ahoy!"))
    waiting.meanwhile = work.run
    check(wait(chat_api, 25), 200)
