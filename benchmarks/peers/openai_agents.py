"""openai-agents-session, where the whole history is one item, and openai-agents' own SQLiteSession in a local file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import boto3
from agents import SQLiteSession
from openai_agents_session.dynamodb import DynamoDBSession

from benchmarks.peers.support import AsyncFace, Loop, Peer, WholeHistory, create_table
from benchmarks.stores import Message


class _Conversation(WholeHistory):
    def __init__(self, session: Any) -> None:
        self._session = session
        self._run = Loop()

    def append(self, messages: Sequence[Message]) -> None:
        self._run(self._session.add_items([item for message in messages for item in _items(message)]))

    def all(self) -> Sequence[Any]:
        return self._messages(self._run(self._session.get_items()))

    def last(self, n: int) -> Sequence[Any]:
        return self._messages(self._run(self._session.get_items(limit=n)))

    @staticmethod
    def _messages(items: Sequence[Any]) -> Sequence[Any]:
        return [item for item in items if item.get("type") != "function_call"]


class OpenAIAgents(Peer):
    name = "openai-agents-session"

    def __init__(self) -> None:
        create_table("openai", "session_id")

    def open(self, conversation: str) -> _Conversation:
        client = AsyncFace(boto3.client("dynamodb"))
        return _Conversation(DynamoDBSession(conversation, dynamodb_client=client, table_name="openai"))

    def text_of(self, message: Any) -> str:
        return str(message.get("content", message.get("output")))


class SQLite(OpenAIAgents):
    name = "SQLiteSession (local file)"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sqlite-")

    def open(self, conversation: str) -> _Conversation:
        return _Conversation(SQLiteSession(conversation, Path(self._folder.name) / "sessions.db"))


def _items(message: Message) -> list[dict[str, Any]]:
    """Return the message as input items of the Responses API."""
    if message["role"] == "tool":
        return [{"type": "function_call_output", "call_id": message["toolCallId"], "output": message["content"]}]
    calls = [
        {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": json.dumps(call["args"])}
        for call in message.get("toolCalls", ())
    ]
    return [{"role": message["role"], "content": message["content"]}, *calls]
