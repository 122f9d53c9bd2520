"""An item of a chat that cannot be read raises an error with a code, never a raw exception."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import pytest
from messagelog import AgentMessage, StorageUnavailableError
from messagelog.chat import Chat
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.states.state import Window
from messagelog.memory import MemoryStorage

from tests.support.tables import Table

Use = Callable[[DynamoDBChatState], object]


def window(state: DynamoDBChatState) -> object:
    return state.window()


def system(state: DynamoDBChatState) -> object:
    return state.system()


def staged(state: DynamoDBChatState) -> object:
    return state.staged(limit=5)


def enqueue(state: DynamoDBChatState) -> None:
    state.enqueue(AgentMessage("user", "next"))


@pytest.mark.parametrize(
    ("entry", "attributes", "use"),
    [
        ("state", {"start": {"N": "1.5"}}, window),
        ("state", {"fence": {"S": "one"}}, window),
        ("system", {"data": {"B": b"not zlib"}}, system),
        ("system", {"data": None}, system),
        ("system", {"version": {"S": "one"}}, system),
        ("queue#", {"data": {"B": b"not zlib"}}, staged),
        ("queue#", {"data": {"B": zlib.compress(b"{}")}}, staged),
        ("queue#", {"data": {"B": zlib.compress(b"[")}}, staged),
        ("queue#", {"entry": {"S": "queue#x"}}, enqueue),
    ],
)
def test_a_damaged_item_is_an_error_with_a_code(
    on_moto: Table, entry: str, attributes: dict[str, Any], use: Use
) -> None:
    state = DynamoDBChatState("c1", table=on_moto.name, client=on_moto.faulty.client, retry=on_moto.retry)
    state.move(Window(0, 1))
    state.put_system("{}", version=0)
    state.enqueue(AgentMessage("user", "hi"))
    found = next(row for row in on_moto.rows() if row["entry"]["S"].startswith(entry))
    damaged = {name: value for name, value in {**found, **attributes}.items() if value is not None}
    on_moto.faulty.client.put_item(TableName=on_moto.name, Item=damaged)
    with pytest.raises(StorageUnavailableError) as caught:
        use(state)
    assert caught.value.code == "ItemDamaged"
    assert caught.value.__suppress_context__, "the cause may quote the item"


def test_a_missing_part_of_a_queued_message_is_reported(on_moto: Table) -> None:
    state = DynamoDBChatState("c1", table=on_moto.name, client=on_moto.faulty.client, retry=on_moto.retry)
    state.enqueue(AgentMessage("user", "".join(map(chr, range(0x4E00, 0x9F00))) * 60))
    part = next(row for row in on_moto.rows() if row["entry"]["S"].startswith("blob#"))
    key = {name: part[name] for name in ("conversation", "entry")}
    on_moto.faulty.client.delete_item(TableName=on_moto.name, Key=key)
    with pytest.raises(StorageUnavailableError) as caught:
        state.staged(limit=5)
    assert caught.value.code == "MessagesMissing"


def test_a_prompt_tree_that_is_not_json_is_reported() -> None:
    state = MemoryChatState()
    state.put_system('{"title": "secret', version=0)
    with pytest.raises(StorageUnavailableError) as caught:
        Chat(MemoryStorage(), state).system()
    assert caught.value.code == "ItemDamaged"
    assert "secret" not in str(caught.value)
