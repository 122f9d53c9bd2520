"""MessageLog as a store to measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from messagelog import MessageLog, StoredMessage
from messagelog.dynamodb import DynamoDBStorage

from benchmarks.stores import Message

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class OurConversation:
    """A log with the methods of `Conversation`."""

    def __init__(self, log: MessageLog) -> None:
        self.log = log

    def append(self, messages: Sequence[Message]) -> None:
        if len(messages) == 1:
            self.log.append(messages[0])
        else:
            self.log.append_many(messages)

    def all(self) -> list[StoredMessage]:
        return self.log.all()

    def last(self, n: int) -> list[StoredMessage]:
        return self.log.last(n)

    def count(self) -> int:
        return self.log.count()

    def views(self) -> Mapping[str, Callable[[int], object]]:
        return {
            "OpenAI": lambda n: self.log.to_openai(last=n),
            "Anthropic": lambda n: self.log.to_anthropic(last=n),
            "Bedrock": lambda n: self.log.to_bedrock(last=n),
            "LangChain": lambda n: self.log.to_langchain(last=n),
        }


class OurStore:
    """MessageLog in an existing table. Each conversation has its own client, as in a process of its own."""

    name = "MessageLog"
    fill_by = 1  # the rows of a batch are a little larger
    longest = 10_000

    def __init__(self, table: str, connect: Callable[[], DynamoDBClient]) -> None:
        self._table = table
        self._connect = connect

    def open(self, conversation: str) -> OurConversation:
        return OurConversation(MessageLog(DynamoDBStorage(conversation, table=self._table, client=self._connect())))

    def text_of(self, message: StoredMessage) -> str:
        return message.content
