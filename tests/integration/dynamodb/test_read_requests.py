"""The requests that a read sends to DynamoDB: their number and their content. No time is measured."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest
from messagelog import AgentMessage, MessageLog

from tests.support.logs import noise
from tests.support.tables import Table

BATCH = [AgentMessage("user", f"m{number}", name="ann") for number in range(1, 4)]


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
def test_more_messages_than_exist_are_one_query_too(on_moto: Table, n: int) -> None:
    log = on_moto.warm_log()
    assert len(log.last(n)) == 1
    assert on_moto.faulty.operations == ["Query"]


def test_a_read_of_zero_messages_sends_nothing(on_moto: Table) -> None:
    log = on_moto.warm_log()
    assert log.last(0) == log.all(limit=0) == []
    assert on_moto.faulty.operations == []


def test_count_is_one_get_item(on_moto: Table) -> None:
    log = on_moto.warm_log()
    assert log.count() == 1
    assert on_moto.faulty.operations == ["GetItem"]


def test_a_page_is_queried_when_the_one_before_is_consumed(on_moto: Table) -> None:
    log = on_moto.log()
    for _ in range(12):
        log.add("user", noise(250_000))
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
def test_every_read_is_strongly_consistent_by_default(
    on_moto: Table, read: Callable[[MessageLog, dict[str, bool]], object], how: dict[str, bool]
) -> None:
    log = on_moto.log()
    log.append_many(BATCH)
    on_moto.faulty.forget()
    read(log, how)
    assert on_moto.faulty.requests
    for request in on_moto.faulty.requests:
        assert request.parameters["ConsistentRead"] is how.get("consistent", True)


def test_a_read_creates_no_item(on_moto: Table) -> None:
    log = on_moto.log("nobody")
    assert (log.all(), log.count(), log.last(), log.last(3)) == ([], 0, None, [])
    assert (log.to_openai(), log.to_anthropic(), log.to_langchain()) == ([], [], [])
    assert log.append_many([]) == 0
    assert {"GetItem", "Query"} == set(on_moto.faulty.operations)
    assert on_moto.rows() == []


def test_other_items_of_the_partition_are_never_shown(on_moto: Table) -> None:
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
