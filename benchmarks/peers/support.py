"""What the adapters share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import boto3

from benchmarks.meter import Meter
from benchmarks.stores import Conversation


class Peer:
    """A store of another library. Making it makes its table."""

    name: str
    meter: Meter  # set once, for a library whose clients have to be put on it by hand
    fill_by = 100
    longest = 10_000

    def open(self, conversation: str) -> Conversation:
        """The conversation as a process of its own would see it; made if it has to be."""
        raise NotImplementedError

    def text_of(self, message: Any) -> str:
        """The text of a message as this library gives it back."""
        raise NotImplementedError


class WholeHistory:
    """Where the library reads all messages, or none: the last and the count come from all."""

    def all(self) -> Sequence[Any]:
        raise NotImplementedError

    def last(self, n: int) -> Sequence[Any]:
        return self.all()[-n:]

    def count(self) -> int:
        return len(self.all())

    def views(self) -> Mapping[str, Callable[[int], object]]:
        return {}


class Loop:
    """Runs what is async, one thing at a time, on a loop of its own."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def __call__(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(work)


class AsyncFace:
    """A boto3 client whose methods can be awaited, for a library that takes a client of aiobotocore's."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def call(**arguments: Any) -> Any:
            return getattr(self._client, name)(**arguments)

        return call


def create_table(name: str, partition_key: str, sort_key: str | None = None) -> None:
    """Makes a table with text keys."""
    keys = [partition_key] if sort_key is None else [partition_key, sort_key]
    boto3.client("dynamodb").create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
    )
