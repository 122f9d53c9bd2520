"""langgraph-checkpoint-aws: a checkpoint of the whole state after each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph_checkpoint_aws import DynamoDBSaver

from benchmarks.peers.langchain import to_message
from benchmarks.peers.support import Peer, WholeHistory, create_table
from benchmarks.stores import Message


class _Conversation(WholeHistory):
    def __init__(self, table: str, conversation: str) -> None:
        graph = StateGraph(MessagesState)
        graph.add_node("agent", lambda state: {})
        graph.add_edge(START, "agent")
        graph.add_edge("agent", END)
        self._graph = graph.compile(checkpointer=DynamoDBSaver(table))
        self._config: Any = {"configurable": {"thread_id": conversation}}

    def append(self, messages: Sequence[Message]) -> None:
        state = {"messages": [to_message(message) for message in messages]}
        self._graph.update_state(self._config, state, as_node="agent")

    def all(self) -> Sequence[Any]:
        return self._graph.get_state(self._config).values.get("messages", [])


class LangGraph(Peer):
    name = "langgraph-checkpoint-aws"

    def __init__(self) -> None:
        create_table("langgraph", "PK", "SK")

    def open(self, conversation: str) -> _Conversation:
        return _Conversation("langgraph", conversation)

    def text_of(self, message: BaseMessage) -> str:
        return str(message.content)
