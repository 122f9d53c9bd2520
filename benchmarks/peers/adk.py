"""adk-dynamodb-session: one item for each event, under its timestamp, written without a condition."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

os.environ["ADK_DYNAMODB_SESSION_TABLE_NAME"] = "adk"

from adk_dynamodb_session import DynamoDBSessionService
from google.adk.events import Event
from google.genai import types

from benchmarks.peers.support import Loop, Peer, WholeHistory, create_table
from benchmarks.stores import Message

_WHO = {"app_name": "bench", "user_id": "ann"}


class _Conversation(WholeHistory):
    def __init__(self, conversation: str) -> None:
        self._run = Loop()
        self._service = DynamoDBSessionService()
        self._conversation = conversation
        self._session = self._read() or self._run(self._service.create_session(session_id=conversation, **_WHO))

    def append(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._run(self._service.append_event(self._session, _event(message)))

    def all(self) -> Sequence[Any]:
        return list(self._read().events)

    def _read(self) -> Any:
        return self._run(self._service.get_session(session_id=self._conversation, **_WHO))


class ADK(Peer):
    name = "adk-dynamodb-session"
    fill_by = 1
    longest = 1_000  # an append is four requests

    def __init__(self) -> None:
        create_table("adk", "PK", "SK")

    def open(self, conversation: str) -> _Conversation:
        return _Conversation(conversation)

    def text_of(self, message: Event) -> str:
        return message.content.parts[0].text


def _event(message: Message) -> Event:
    calls = [
        types.Part.from_function_call(name=call["name"], args=call["args"]) for call in message.get("toolCalls", ())
    ]
    parts = [types.Part(text=message["content"]), *calls]
    content = types.Content(role="user" if message["role"] == "user" else "model", parts=parts)
    return Event(author=message["role"], content=content)
