"""The requests that an append sends to DynamoDB: their number and their content. No time is measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, MessageLog, ToolCall
from messagelog.dynamodb import DynamoDBStorage, default_client

from tests.support.faulty import Faulty, cancelled
from tests.support.tables import Table

BATCH = [AgentMessage("user", f"m{number}", name="ann") for number in range(1, 4)]


def test_a_cold_append_reads_the_head_once(on_moto: Table) -> None:
    on_moto.log().add("user", "hi")
    assert on_moto.faulty.operations == ["GetItem", "TransactWriteItems"]
    assert on_moto.faulty.requests[0].parameters == {
        "TableName": on_moto.name,
        "Key": {"conversation": {"S": "c1"}, "entry": {"S": "head"}},
        "ConsistentRead": True,
    }


@pytest.mark.parametrize(
    "append",
    [
        lambda log: log.add("user", "hi"),
        lambda log: log.append_many(BATCH),
        lambda log: log.append(BATCH[0], idempotency_key="k"),
        lambda log: log.append(BATCH[0], expected_count=1),
    ],
    ids=["add", "append_many", "with a key", "with a count"],
)
def test_a_warm_append_is_one_request(on_moto: Table, append: Callable[[MessageLog], int]) -> None:
    append(on_moto.warm_log())
    assert on_moto.faulty.operations == ["TransactWriteItems"]


def test_a_client_remembers_the_count_for_all_its_storages(on_moto: Table) -> None:
    on_moto.warm_log().append_many(BATCH)
    on_moto.log().add("user", "hi")
    assert on_moto.log().add("user", "hi") == 6
    assert on_moto.faulty.operations == ["TransactWriteItems"] * 3


def test_a_client_remembers_each_conversation_separately(on_moto: Table) -> None:
    on_moto.warm_log()
    on_moto.log("c2").add("user", "hi")
    assert on_moto.faulty.operations == ["GetItem", "TransactWriteItems"]


def test_a_stale_count_costs_one_failed_transaction_and_no_read(on_moto: Table) -> None:
    log = on_moto.warm_log()
    on_moto.other().append_many(BATCH)
    assert log.add("user", "last") == 5
    assert on_moto.faulty.operations == ["TransactWriteItems"] * 2
    assert on_moto.tokens() == ["a", "b"]
    assert [message.content for message in log.all()] == ["first", "m1", "m2", "m3", "last"]


def test_a_cancellation_without_the_item_costs_one_strong_read(on_moto: Table) -> None:
    log = on_moto.warm_log()
    on_moto.other().append_many(BATCH)
    on_moto.faulty.script("TransactWriteItems", [cancelled("ConditionalCheckFailed", "None")])
    assert log.add("user", "last") == 5
    assert on_moto.faulty.operations == ["TransactWriteItems", "GetItem", "TransactWriteItems"]
    assert on_moto.faulty.sent("GetItem")[0].parameters["ConsistentRead"] is True
    assert on_moto.tokens() == ["a", "b"]


def test_each_append_has_its_own_token(on_moto: Table) -> None:
    log = on_moto.log()
    for _ in range(3):
        log.add("user", "the same")
    assert on_moto.tokens() == ["a", "b", "c"]


def test_the_transaction_moves_the_counter_and_puts_the_rows(on_moto: Table) -> None:
    on_moto.warm_log().append_many(BATCH)
    (transaction,) = on_moto.transactions()
    head, *puts = transaction.parameters["TransactItems"]
    assert head["Update"]["Key"] == {"conversation": {"S": "c1"}, "entry": {"S": "head"}}
    assert head["Update"]["ConditionExpression"] == "#count = :expected"
    assert head["Update"]["ExpressionAttributeValues"] == {":expected": {"N": "1"}, ":new": {"N": "4"}}
    assert head["Update"]["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
    assert [put["Put"]["Item"]["entry"]["S"] for put in puts] == [f"msg#00000000000{seq}" for seq in (2, 3, 4)]
    assert {put["Put"]["ConditionExpression"] for put in puts} == {"attribute_not_exists(#entry)"}


def test_rows_are_as_the_contract_says(on_moto: Table) -> None:
    log = on_moto.log()
    call = ToolCall("t1", "f", {"b": 1.0, "a": None})
    log.append(AgentMessage("assistant", "", name="ann", tool_calls=(call,), tool_call_id="t0", origin="model"))
    log.add("user", "hi")
    at = [{"N": str(int(m.at.timestamp()) * 1_000_000 + m.at.microsecond)} for m in log.all()]
    c1 = {"conversation": {"S": "c1"}}
    rows = sorted(on_moto.rows(), key=lambda row: row["entry"]["S"])
    nonces = {row.pop("nonce")["B"] for row in rows[1:]}
    assert [len(nonce) for nonce in nonces] == [8, 8]
    assert rows == [
        {**c1, "entry": {"S": "head"}, "count": {"N": "2"}},
        {
            **c1,
            "entry": {"S": "msg#000000000001"},
            "at": at[0],
            "role": {"S": "assistant"},
            "content": {"S": ""},
            "name": {"S": "ann"},
            "tool_calls": {"S": '[{"id":"t1","name":"f","args":{"b":1.0,"a":null}}]'},
            "tool_call_id": {"S": "t0"},
            "origin": {"S": "model"},
        },
        {**c1, "entry": {"S": "msg#000000000002"}, "at": at[1], "role": {"S": "user"}, "content": {"S": "hi"}},
    ]


def test_expressions_use_placeholders_for_every_name(on_moto: Table) -> None:
    """Names such as `count`, `name` and `role` are reserved: "Reserved words in DynamoDB", developer guide."""
    log = on_moto.log()
    log.append_many(BATCH, idempotency_key="k")
    log.last(2)
    log.all(after=1)
    log.count()
    words = {"SET", "AND", "OR", "BETWEEN", "attribute_not_exists"}
    expressions = list(expressions_in([request.parameters for request in on_moto.faulty.requests]))
    assert len(expressions) > 5
    for expression in expressions:
        assert set(re.findall(r"(?<![#:\w])\w+", expression)) <= words


def expressions_in(value: Any) -> list[str]:
    """Every expression in the parameters of a request."""
    if isinstance(value, list):
        return [found for item in value for found in expressions_in(item)]
    if not isinstance(value, dict):
        return []
    here = [text for key, text in value.items() if key.endswith("Expression")]
    return here + [found for item in value.values() for found in expressions_in(item)]


def test_a_refused_message_sends_no_request(on_moto: Table) -> None:
    log = on_moto.warm_log()
    with pytest.raises(CodecError):
        log.append({"role": "user", "content": float("-inf")})
    with pytest.raises(CodecError):
        log.append_many([BATCH[0], {"role": "robot", "content": ""}])
    assert on_moto.faulty.operations == []


@pytest.mark.parametrize("conversation", ["", "x" * 2049, "漢" * 683])
def test_a_conversation_that_cannot_be_a_key_is_refused(on_moto: Table, conversation: str) -> None:
    with pytest.raises(ValueError, match="conversation must be 1 to 2048 bytes"):
        on_moto.storage(conversation)
    assert on_moto.faulty.operations == []


def test_the_default_client_never_resends_and_waits_for_seconds(on_moto: Table) -> None:
    config: Any = on_moto.faulty.client.meta.config
    assert config.retries["total_max_attempts"] == 1
    assert (config.connect_timeout, config.read_timeout) == (1.0, 3.0)


def test_a_storage_makes_its_own_client_by_default(on_moto: Table) -> None:
    log = MessageLog(DynamoDBStorage("c1", table=on_moto.name))
    assert (log.add("user", "hi"), on_moto.other().count()) == (1, 1)


def test_clients_do_not_share_remembered_counts(on_moto: Table) -> None:
    on_moto.warm_log()
    other = Faulty(default_client())
    assert on_moto.other(client=other.client).add("user", "hi") == 2
    assert other.operations == ["GetItem", "TransactWriteItems"]
