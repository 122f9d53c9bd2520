"""strands-dynamodb-storage: the snapshot of an agent, with its whole history, is one value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from strands_dynamodb_storage import DynamoDBStorage

from benchmarks.peers.support import Loop, Peer, WholeHistory, create_table
from benchmarks.stores import Message


class _Conversation(WholeHistory):
    def __init__(self, table: str, conversation: str) -> None:
        self._storage = DynamoDBStorage(table)
        self._key = f"sessions/{conversation}"
        self._run = Loop()
        self._messages: list[Any] = list(self.all())

    def append(self, messages: Sequence[Message]) -> None:
        self._messages += messages
        self._run(self._storage.write(self._key, json.dumps({"messages": self._messages}).encode()))

    def all(self) -> Sequence[Any]:
        value = self._run(self._storage.read(self._key))
        return [] if value is None else list(json.loads(value)["messages"])


class Strands(Peer):
    name = "strands-dynamodb-storage"

    def __init__(self) -> None:
        create_table("strands", "pk", "sk")

    def open(self, conversation: str) -> _Conversation:
        return _Conversation("strands", conversation)

    def text_of(self, message: Any) -> str:
        return str(message["content"])
