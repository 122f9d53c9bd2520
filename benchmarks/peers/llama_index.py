"""llama-index-storage-chat-store-dynamodb: the whole history is one item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.storage.chat_store.dynamodb.base import DynamoDBChatStore

from benchmarks.peers.support import Peer, WholeHistory, create_table
from benchmarks.stores import Message


class _Conversation(WholeHistory):
    def __init__(self, table: str, conversation: str) -> None:
        self._store = DynamoDBChatStore(table_name=table)
        self._conversation = conversation

    def append(self, messages: Sequence[Message]) -> None:
        if len(messages) == 1:
            self._store.add_message(self._conversation, _message(messages[0]))
        else:
            there = self._store.get_messages(self._conversation)
            self._store.set_messages(self._conversation, there + [_message(message) for message in messages])

    def all(self) -> Sequence[Any]:
        return self._store.get_messages(self._conversation)


class LlamaIndex(Peer):
    name = "llama-index chat store"

    def __init__(self) -> None:
        create_table("llamaindex", "SessionId")

    def open(self, conversation: str) -> _Conversation:
        return _Conversation("llamaindex", conversation)

    def text_of(self, message: ChatMessage) -> str:
        return message.content or ""


def _message(message: Message) -> ChatMessage:
    more = {name: message[name] for name in ("name", "toolCallId") if name in message}
    if "toolCalls" in message:
        more["tool_calls"] = message["toolCalls"]
    return ChatMessage(role=message["role"], content=message["content"], additional_kwargs=more)
