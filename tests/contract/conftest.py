"""The storages that the contract is tested on. To add one, write a fixture `open_on_…` and name it in `params`.

The chat states are in `tests.support.chat_states`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from messagelog.dynamodb import DynamoDBStorage, default_client
from messagelog.memory import MemoryStorage
from messagelog.storage import Storage

from local.dynamodb import connect
from tests.support.chat_states import (
    clock,
    open_chat,
    open_chat_on_fake,
    open_chat_on_memory,
    open_chat_on_ministack,
    open_chat_on_moto,
)
from tests.support.tables import PATIENT

__all__ = [
    "clock",
    "open_chat",
    "open_chat_on_fake",
    "open_chat_on_memory",
    "open_chat_on_ministack",
    "open_chat_on_moto",
]

Open = Callable[[str], Storage]


@pytest.fixture(params=["memory", "moto", "ministack"])
def open_storage(request: pytest.FixtureRequest) -> Open:
    """`open_storage(conversation)`: the storage as a new process opens it, without remembered counts."""
    opener: Open = request.getfixturevalue(f"open_on_{request.param}")
    return opener


@pytest.fixture
def open_on_memory() -> Open:
    storages: defaultdict[str, MemoryStorage] = defaultdict(MemoryStorage)
    return storages.__getitem__


@pytest.fixture
def open_on_moto(moto_table: Any, table_definition: dict[str, Any]) -> Open:
    name = table_definition["TableName"]
    return lambda conversation: DynamoDBStorage(conversation, table=name, client=default_client(), retry=PATIENT)


@pytest.fixture
def open_on_ministack(ministack: str, ministack_table: tuple[Any, str]) -> Open:
    _, name = ministack_table
    return lambda conversation: DynamoDBStorage(conversation, table=name, client=connect(ministack), retry=PATIENT)
