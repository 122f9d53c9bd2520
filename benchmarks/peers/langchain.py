"""langchain-community's DynamoDBChatMessageHistory: the whole history is one item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_community.chat_message_histories import DynamoDBChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from benchmarks.peers.support import Peer, WholeHistory, create_table
from benchmarks.stores import Message


class _Conversation(WholeHistory):
    def __init__(self, table: str, conversation: str) -> None:
        self._history = DynamoDBChatMessageHistory(table, conversation)

    def append(self, messages: Sequence[Message]) -> None:
        self._history.add_messages([to_message(message) for message in messages])

    def all(self) -> Sequence[Any]:
        return self._history.messages


class LangChain(Peer):
    name = "langchain-community"

    def __init__(self) -> None:
        create_table("langchain", "SessionId")

    def open(self, conversation: str) -> _Conversation:
        return _Conversation("langchain", conversation)

    def text_of(self, message: BaseMessage) -> str:
        return str(message.content)


def to_message(message: Message) -> BaseMessage:
    content = message["content"]
    match message["role"]:
        case "user":
            return HumanMessage(content)
        case "tool":
            return ToolMessage(content, tool_call_id=message["toolCallId"], name=message["name"])
    calls = [{**call, "type": "tool_call"} for call in message.get("toolCalls", ())]
    return AIMessage(content, tool_calls=calls)
