"""Which requests the log sends to DynamoDB, how many, and what they say. Requests are counted, nothing is timed."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, MessageLog
from messagelog.dynamodb import DynamoDBStorage, default_client

from tests.faulty import Faulty, cancelled
from tests.tables import Table

BATCH = [AgentMessage("user", f"m{number}", name="ann") for number in range(1, 4)]


def incompressible(length: int) -> str:
    return "".join(random.Random(length).choices(string.printable, k=length))


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


def test_a_process_stays_warm_from_append_to_append_and_storage_to_storage(on_moto: Table) -> None:
    on_moto.warm_log().append_many(BATCH)
    on_moto.log().add("user", "hi")
    assert on_moto.log().add("user", "hi") == 6
    assert on_moto.faulty.operations == ["TransactWriteItems"] * 3


def test_a_client_remembers_each_conversation_by_itself(on_moto: Table) -> None:
    on_moto.warm_log()
    on_moto.log("c2").add("user", "hi")
    assert on_moto.faulty.operations == ["GetItem", "TransactWriteItems"]


def test_a_stale_memory_costs_one_failed_transaction_and_no_read(on_moto: Table) -> None:
    log = on_moto.warm_log()
    on_moto.other().append_many(BATCH)
    assert log.add("user", "last") == 5
    assert on_moto.faulty.operations == ["TransactWriteItems"] * 2
    assert on_moto.tokens() == ["a", "b"]
    assert [message.content for message in log.all()] == ["first", "m1", "m2", "m3", "last"]


def test_a_cancelled_transaction_without_the_item_costs_one_strong_read(on_moto: Table) -> None:
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


def test_the_transaction_moves_the_counter_and_puts_the_rows_behind_it(on_moto: Table) -> None:
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
    log.append(
        {
            "role": "assistant",
            "content": "",
            "name": "ann",
            "toolCalls": [{"id": "t1", "name": "f", "args": {"b": 1.0, "a": None}}],
            "toolCallId": "t0",
            "origin": "model",
        }
    )
    log.add("user", "hi")
    at = [{"N": str(int(m.at.timestamp()) * 1_000_000 + m.at.microsecond)} for m in log.all()]
    c1 = {"conversation": {"S": "c1"}}
    assert sorted(on_moto.rows(), key=lambda row: row["entry"]["S"]) == [
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


def test_expressions_name_no_attribute_by_itself(on_moto: Table) -> None:
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


@pytest.mark.parametrize(("read", "limit"), [(lambda log: log.last(), 1), (lambda log: log.last(3), 3)])
def test_the_last_messages_are_one_query(on_moto: Table, read: Callable[[MessageLog], object], limit: int) -> None:
    log = on_moto.log()
    log.append_many(BATCH)
    log.append_many(BATCH)
    on_moto.faulty.forget()
    read(log)
    assert on_moto.faulty.operations == ["Query"]
    query = on_moto.faulty.requests[0].parameters
    assert (query["Limit"], query["ScanIndexForward"]) == (limit, False)
    assert "IndexName" not in query


@pytest.mark.parametrize("n", [1, 5, 1000, 10**30])
def test_more_than_there_are_is_one_query_too(on_moto: Table, n: int) -> None:
    log = on_moto.warm_log()
    assert len(log.last(n)) == 1
    assert on_moto.faulty.operations == ["Query"]


def test_the_last_none_ask_for_nothing(on_moto: Table) -> None:
    log = on_moto.warm_log()
    assert log.last(0) == log.all(limit=0) == []
    assert on_moto.faulty.operations == []


def test_count_is_one_get(on_moto: Table) -> None:
    log = on_moto.warm_log()
    assert log.count() == 1
    assert on_moto.faulty.operations == ["GetItem"]


def test_all_asks_for_one_page_after_the_other_as_they_are_consumed(on_moto: Table) -> None:
    log = on_moto.log()
    for _ in range(12):
        log.add("user", incompressible(250_000))
    on_moto.faulty.forget()
    messages = log.iter_all()
    assert on_moto.faulty.operations == []
    assert next(messages).seq == 1
    assert on_moto.faulty.operations == ["Query"]
    assert [message.seq for message in messages] == list(range(2, 13))
    pages = on_moto.faulty.sent("Query")
    assert len(pages) >= 3
    assert all("ExclusiveStartKey" in page.parameters for page in pages[1:])


def test_a_cursor_reads_no_further_than_its_limit(on_moto: Table) -> None:
    log = on_moto.log()
    for _ in range(3):
        log.append_many(BATCH)
    on_moto.faulty.forget()
    assert [message.seq for message in log.all(after=4, limit=2)] == [5, 6]
    (query,) = on_moto.faulty.requests
    assert query.operation == "Query"
    assert query.parameters["Limit"] == 2
    assert query.parameters["ExpressionAttributeValues"][":first"] == {"S": "msg#000000000005"}


@pytest.mark.parametrize("how", [{}, {"consistent": True}, {"consistent": False}], ids=str)
@pytest.mark.parametrize(
    "read",
    [
        lambda log, how: log.all(**how),
        lambda log, how: list(log.iter_all(**how)),
        lambda log, how: log.all(after=1, limit=1, **how),
        lambda log, how: log.last(**how),
        lambda log, how: log.last(2, **how),
        lambda log, how: list(islice(log.newest_first(**how), 1)),
        lambda log, how: log.count(**how),
        lambda log, how: log.to_openai(**how),
        lambda log, how: log.to_anthropic(**how),
        lambda log, how: log.to_langchain(last=1, **how),
    ],
    ids=[
        "all",
        "iter_all",
        "cursor",
        "last",
        "last(n)",
        "newest_first",
        "count",
        "to_openai",
        "to_anthropic",
        "to_langchain in a window",
    ],
)
def test_every_read_is_strong_unless_told_otherwise(
    on_moto: Table, read: Callable[[MessageLog, dict[str, bool]], object], how: dict[str, bool]
) -> None:
    log = on_moto.log()
    log.append_many(BATCH)
    on_moto.faulty.forget()
    read(log, how)
    assert on_moto.faulty.requests
    for request in on_moto.faulty.requests:
        assert request.parameters["ConsistentRead"] is how.get("consistent", True)


def test_reading_creates_nothing(on_moto: Table) -> None:
    log = on_moto.log("nobody")
    assert (log.all(), log.count(), log.last(), log.last(3)) == ([], 0, None, [])
    assert (log.to_openai(), log.to_anthropic(), log.to_langchain()) == ([], [], [])
    assert log.append_many([]) == 0
    assert {"GetItem", "Query"} == set(on_moto.faulty.operations)
    assert on_moto.rows() == []


def test_what_is_refused_sends_nothing(on_moto: Table) -> None:
    log = on_moto.warm_log()
    with pytest.raises(CodecError):
        log.append({"role": "user", "content": float("-inf")})
    with pytest.raises(CodecError):
        log.append_many([BATCH[0], {"role": "robot", "content": ""}])
    assert on_moto.faulty.operations == []


def test_other_rows_of_the_partition_never_show(on_moto: Table) -> None:
    log = on_moto.log()
    log.append_many(BATCH)
    for entry in ("a", "key#k", "seg#s#000000", "msg", "msg$", "msg#", "msg~", "queue#000000000004", "zzz"):
        item = {"conversation": {"S": "c1"}, "entry": {"S": entry}, "count": {"N": "9"}, "content": {"S": "helper"}}
        on_moto.faulty.client.put_item(TableName=on_moto.name, Item=item)
    on_moto.faulty.forget()
    assert [message.content for message in log.last(3)] == ["m1", "m2", "m3"]
    assert [message.content for message in log.last(1)] == ["m3"]
    assert on_moto.faulty.operations == ["Query", "Query"]
    assert [message.content for message in log.all()] == ["m1", "m2", "m3"]
    assert [message.content for message in log.all(after=2)] == ["m3"]
    assert log.count() == 3


@pytest.mark.parametrize("conversation", ["", "x" * 2049, "漢" * 683])
def test_a_conversation_that_is_no_key_is_refused_at_once(on_moto: Table, conversation: str) -> None:
    with pytest.raises(ValueError, match="conversation must be 1 to 2048 bytes"):
        on_moto.storage(conversation)
    assert on_moto.faulty.operations == []


def test_the_default_client_leaves_retries_to_the_log_and_waits_seconds_at_most(on_moto: Table) -> None:
    config: Any = on_moto.faulty.client.meta.config
    assert config.retries["total_max_attempts"] == 1
    assert (config.connect_timeout, config.read_timeout) == (1.0, 3.0)


def test_a_storage_makes_its_own_client_if_none_is_given(on_moto: Table) -> None:
    log = MessageLog(DynamoDBStorage("c1", table=on_moto.name))
    assert (log.add("user", "hi"), on_moto.other().count()) == (1, 1)


def test_clients_do_not_share_what_they_remember(on_moto: Table) -> None:
    on_moto.warm_log()
    other = Faulty(default_client())
    assert on_moto.other(client=other.client).add("user", "hi") == 2
    assert other.operations == ["GetItem", "TransactWriteItems"]
