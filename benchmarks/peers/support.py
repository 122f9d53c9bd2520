"""Shared parts of the adapters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import boto3

from benchmarks.meter import Meter
from benchmarks.stores import Conversation


class Peer:
    """A store of another library. The constructor makes its table."""

    name: str
    meter: Meter  # for a library whose clients need to be attached by hand
    fill_by = 100
    longest = 10_000

    def open(self, conversation: str) -> Conversation:
        """Return the conversation as a new process would see it. Make it if necessary."""
        raise NotImplementedError

    def text_of(self, message: Any) -> str:
        """Return the text of a message as this library returns it."""
        raise NotImplementedError


class WholeHistory:
    """For a library that reads all messages or none: `last` and `count` come from `all`."""

    def all(self) -> Sequence[Any]:
        raise NotImplementedError

    def last(self, n: int) -> Sequence[Any]:
        return self.all()[-n:]

    def count(self) -> int:
        return len(self.all())

    def views(self) -> Mapping[str, Callable[[int], object]]:
        return {}


class Loop:
    """Runs coroutines one at a time, on a loop of its own."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def __call__(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(work)


class AsyncFace:
    """A boto3 client whose methods can be awaited, for a library that needs an aiobotocore client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def call(**arguments: Any) -> Any:
            return getattr(self._client, name)(**arguments)

        return call


def create_table(name: str, partition_key: str, sort_key: str | None = None) -> None:
    """Make a table with text keys."""
    keys = [partition_key] if sort_key is None else [partition_key, sort_key]
    boto3.client("dynamodb").create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
    )
