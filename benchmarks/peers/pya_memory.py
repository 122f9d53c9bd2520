"""pya-memory: an item for each message and a transaction with a counter. It reads the counter first."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import aiobotocore.session
from pya_memory.backends.dynamodb import DynamoDBMessageStore
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from benchmarks.meter import Meter
from benchmarks.peers.support import Loop, Peer, WholeHistory
from benchmarks.stores import Message


class _Conversation(WholeHistory):
    def __init__(self, meter: Meter, conversation: str) -> None:
        self._store = DynamoDBMessageStore("pya", session=_metered_session(meter))
        self._conversation = conversation
        self._run = Loop()

    def append(self, messages: Sequence[Message]) -> None:
        stored = [_message(message) for message in messages]
        self._run(self._store.append_messages(conversation_id=self._conversation, messages=stored))

    def all(self) -> Sequence[Any]:
        return self._run(self._store.load_messages(conversation_id=self._conversation))

    def count(self) -> int:
        found = self._run(self._store.get_conversation(conversation_id=self._conversation))
        return found.message_count if found else 0

    def last(self, n: int) -> Sequence[Any]:
        offset = max(0, self.count() - n)
        return self._run(self._store.load_messages(conversation_id=self._conversation, offset=offset))


class PyaMemory(Peer):
    name = "pya-memory"
    fill_by = 90
    longest = 10_000

    def __init__(self) -> None:
        """Make the table, which the first use of a conversation does."""
        self.open("first").append([{"role": "user", "content": ""}])

    def open(self, conversation: str) -> _Conversation:
        return _Conversation(self.meter, conversation)

    def text_of(self, message: ModelMessage) -> str:
        return str(message.parts[0].content)


def _message(message: Message) -> ModelMessage:
    content = message["content"]
    match message["role"]:
        case "user":
            return ModelRequest(parts=[UserPromptPart(content)])
        case "tool":
            return ModelRequest(parts=[ToolReturnPart(message["name"], content, tool_call_id=message["toolCallId"])])
    calls = [ToolCallPart(call["name"], call["args"], tool_call_id=call["id"]) for call in message.get("toolCalls", ())]
    return ModelResponse(parts=[TextPart(content), *calls])


def _metered_session(meter: Meter) -> Any:
    """An aiobotocore session with metered clients. Their answers must be awaited."""

    async def end(http_response: Any, **more: Any) -> None:
        answer = SimpleNamespace(status_code=http_response.status_code, content=await http_response.content)
        meter.end(http_response=answer, **more)

    session = aiobotocore.session.get_session()
    session.register("before-call.dynamodb", meter.begin)
    session.register("before-send.dynamodb", meter.count)
    session.register("after-call.dynamodb", end)
    return session
