"""A new conversation needs a name that an HTTP API can carry. One with an older name goes on."""

from __future__ import annotations

import pytest
from messagelog import AgentMessage, ExpectedCountError, MessageLog
from messagelog.dynamodb import DynamoDBStorage, default_client, keys

from tests.support.tables import Table

BAD = ["a/b", "a?b", ".", "..", "\x00", "a\nb", "x" * 257, "tenant\x1fa/b"]
MANY = [AgentMessage("user", f"m{number}") for number in range(130)]


def begun_by_an_older_version(table: Table, conversation: str) -> MessageLog:
    """A conversation with one message, written as version 0.1.0 did, which knew no rule for names."""
    client = default_client()
    head = {**keys.key(conversation, keys.HEAD), "count": {"N": "1"}}
    row = {**keys.key(conversation, keys.message_entry(1)), "role": {"S": "user"}, "content": {"S": "old"}}
    for item in (head, {**row, "at": {"N": "1772366400000000"}}):
        client.put_item(TableName=table.name, Item=item)
    return MessageLog(DynamoDBStorage(conversation, table=table.name, client=client))


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("messages", [MANY[:1], MANY], ids=["one", "a segment"])
def test_a_new_conversation_needs_a_legal_name(on_moto: Table, name: str, messages: list[AgentMessage]) -> None:
    log = on_moto.log(name)
    with pytest.raises(ValueError, match="a conversation name is printable text") as caught:
        log.append_many(messages)
    assert name not in str(caught.value) or name in (".", "..")
    assert on_moto.rows() == []
    assert log.all() == []


@pytest.mark.parametrize("name", BAD[:-1])
def test_an_older_conversation_keeps_its_name(on_moto: Table, name: str) -> None:
    log = begun_by_an_older_version(on_moto, name)
    assert log.add("user", "new") == 2
    assert on_moto.log(name).append_many(MANY) == 132
    assert [message.content for message in log.all()][:2] == ["old", "new"]


def test_an_older_conversation_tells_its_count(on_moto: Table) -> None:
    begun_by_an_older_version(on_moto, "a/b")
    with pytest.raises(ExpectedCountError) as caught:
        on_moto.log("a/b").add("user", "new", expected_count=0)
    assert caught.value.count == 1


def test_a_tenants_conversation_is_new_by_its_own_name(on_moto: Table) -> None:
    assert on_moto.log("ten/ant\x1fship").add("user", "hi") == 1
