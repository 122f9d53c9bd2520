"""Batches and messages of any size: they are atomic, whole and exact, and a read loads only what it returns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, MessageLog, ToolCall
from messagelog.dynamodb import DynamoDBStorage, default_client, segments
from messagelog.memory import MemoryStorage

from tests.support.faulty import Meanwhile
from tests.support.http_api import HttpApi, new_process
from tests.support.item_sizes import dynamodb_size, with_raw_bytes, write_units
from tests.support.logs import CJK, EMOJI, noise, numbered, seqs
from tests.support.tables import Table

MANY = 5_000
VERY_MANY = 20_000


def test_a_batch_of_5000_is_one_transaction(on_ministack: Table) -> None:
    log = on_ministack.log()
    log.add("user", "before")
    assert log.append_many(numbered(1, MANY)) == MANY + 1
    assert log.add("user", "after") == MANY + 2
    read = on_ministack.other().all()
    assert [message.content for message in read] == ["before", *(m.content for m in numbered(1, MANY)), "after"]
    assert seqs(read) == list(range(1, MANY + 3))
    assert len({message.at for message in read[1:-1]}) == 1
    assert len(on_ministack.transactions()) == 3, "one transaction for the batch"


def test_a_batch_of_5000_is_shown_all_at_once(on_ministack: Table) -> None:
    """A reader reads just before each request of the append."""
    reader = on_ministack.other()
    seen: list[int] = []

    def look() -> None:
        seen.append(len(reader.all()))
        assert reader.count() == len(reader.last(MANY)) == seen[-1]

    for operation in ("PutItem", "TransactWriteItems"):
        on_ministack.faulty.script(operation, [Meanwhile(look)] * 10)
    on_ministack.log().append_many(numbered(1, MANY))
    assert len(seen) >= 2
    assert set(seen) == {0}
    assert len(reader.all()) == MANY


TEXTS = {
    "repeated": "All work and no play makes a long text. " * 75_000,
    "of three-byte characters": noise(1_000_000, alphabet=CJK),
    "of four-byte characters": noise(750_000, alphabet=EMOJI),
    "of control characters": '\x00\x1f\n"\\' * 200_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_message_of_3_mb_is_stored_whole(on_ministack: Table, text: str) -> None:
    log = on_ministack.log()
    log.append(AgentMessage("user", text))
    log.append_many([AgentMessage("assistant", "small"), AgentMessage("user", text), AgentMessage("user", "small")])
    other = on_ministack.other()
    assert [message.content for message in other.all()] == [text, "small", text, "small"]
    assert [message.content for message in other.last(2)] == [text, "small"]


def test_a_message_with_large_args_is_stored_whole(on_ministack: Table) -> None:
    args = {"rows": [[number, 1.0, "\u2028", None] for number in range(40_000)]}
    message = AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "insert", args),))
    on_ministack.log().append(message)
    (stored,) = on_ministack.other().all()
    assert repr(stored.tool_calls) == repr(message.tool_calls)


def test_20000_messages_are_read_whole(on_ministack: Table, event: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`all` reads them, and so do the real functions, page by page."""
    monkeypatch.setenv("MESSAGELOG_TABLE", on_ministack.name)
    new_process()
    api = HttpApi(event)
    log = on_ministack.log(api.conversation)
    text = "x" * 400
    for start in range(1, VERY_MANY, 4_000):
        log.append_many([AgentMessage("user", f"{number} {text}") for number in range(start, start + 4_000)])
    assert [message.seq for message in log.all()] == list(range(1, VERY_MANY + 1))
    first_page = api.get("all").json
    assert 0 < len(first_page["messages"]) < VERY_MANY
    numbers = [int(message["content"].split()[0]) for message in api.messages()]
    assert numbers == list(range(1, VERY_MANY + 1))
    new_process()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.sampled_from([1, 1, 2, 3, 98, 99, 120]), min_size=1, max_size=5),
    block=st.sampled_from([1, 300, 256 * 1024]),
    part=st.sampled_from([50, 350 * 1024]),
    data=st.data(),
)
def test_every_read_is_a_slice_of_all(
    on_moto: Table, table_definition: Any, sizes: Sequence[int], block: int, part: int, data: st.DataObject
) -> None:
    """This holds for any mix of rows and segments, and for blocks and parts of any size."""
    client = default_client()
    client.delete_table(TableName=on_moto.name)  # moto copies the whole table for each transaction
    client.create_table(**table_definition)
    log, model = on_moto.log(uuid4().hex), MessageLog(MemoryStorage())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_BLOCK_BYTES", block)
        patch.setattr(segments, "_PART_BYTES", part)
        for size in sizes:
            start = model.count() + 1
            batch = numbered(start, start + size - 1)
            assert log.append_many(batch) == model.append_many(batch)
    whole = pairs(log.all())
    assert whole == pairs(model.all())
    count = len(whole)
    for _ in range(8):
        after = data.draw(st.integers(0, count + 2))
        n = data.draw(st.integers(0, count + 2))
        assert pairs(log.all(after=after, limit=n)) == whole[after : after + n]
        assert pairs(log.all(after=after)) == whole[after:]
        assert pairs(log.last(n)) == (whole[-n:] if n else [])
        assert pairs(log.newest_first(n)) == whole[::-1][:n]
        assert pairs(log.window(last=n, after=after)) == pairs(model.window(last=n, after=after))
        assert pairs(log.window(max_tokens=n)) == pairs(model.window(max_tokens=n))
    assert pairs(log.newest_first()) == whole[::-1]


def pairs(messages: Any) -> list[tuple[int, str]]:
    return [(message.seq, message.content) for message in messages]


def test_content_is_compressed_where_that_saves_a_write_unit(on_moto: Table) -> None:
    """DynamoDB bills write units. Content is read back equal in both forms."""
    texts = ["short", noise(1_500, alphabet="abc"), "repeated " * 2_000, "漢字" * 3_000, noise(1_800)]
    log = on_moto.log()
    for text in texts:
        log.add("user", text)
    assert [message.content for message in log.all()] == texts
    kinds = [next(iter(row["content"])) for row in on_moto.rows() if row["entry"]["S"].startswith("msg#")]
    assert kinds == ["S", "B", "B", "B", "S"]
    rows = [transaction.parameters["TransactItems"][1]["Put"]["Item"] for transaction in on_moto.transactions()]
    assert [write_units(dynamodb_size(with_raw_bytes(row))) for row in rows] == [1, 1, 1, 1, 2]


def test_the_largest_batch_of_an_http_request_is_stored(on_moto: Table) -> None:
    """A body of six megabytes holds about this many of the smallest messages."""
    request = json.dumps({"messages": [{"role": "user", "content": ""}] * 1_000})
    batch = json.loads(request)["messages"]
    storage = DynamoDBStorage("c1", table=on_moto.name, client=default_client())
    assert MessageLog(storage).append_many(batch * 30) == 30_000
    assert len(MessageLog(storage).all()) == 30_000
