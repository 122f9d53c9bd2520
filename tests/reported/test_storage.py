"""Public bug reports about stores. Each test names its sources, and asserts the right behaviour."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import pytest
from messagelog import StorageUnavailableError, codec
from messagelog.dynamodb import default_client

from tests.support.faulty import Answer, Faulty, Ok, Outcome, Request, cancelled
from tests.support.tables import Table


def test_every_field_is_read_back_and_absent_ones_stay_absent(on_moto: Table) -> None:
    """https://github.com/run-llama/llama_index/issues/12313"""
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "hi", "name": "ann"},
        {
            "role": "assistant",
            "content": "let me look",
            "toolCalls": [
                {"id": "t1", "name": "find", "args": {"q": "x"}},
                {"id": "t2", "name": "find", "args": {"q": "y"}},
            ],
        },
        {"role": "tool", "toolCallId": "t1", "content": "one"},
        {"role": "tool", "toolCallId": "t2", "content": "two"},
    ]
    log = on_moto.log()
    assert [log.append(message) for message in messages] == [1, 2, 3, 4]
    read = [codec.to_json(message) for message in on_moto.other().all()]
    assert [form.pop("seq") for form in read] == [1, 2, 3, 4]
    assert all(form.pop("at") for form in read)
    assert read == messages


def test_a_failed_batch_stores_nothing_and_uses_no_seq(on_moto: Table) -> None:
    """https://github.com/langchain-ai/langchain/pull/30572"""
    log = on_moto.log()
    log.add("user", "before")
    on_moto.faulty.script("TransactWriteItems", [cancelled("None", "None", "ValidationError", "None")])
    with pytest.raises(StorageUnavailableError):
        log.append_many({"role": "user", "content": content} for content in ("one", "two", "three"))
    assert [message.content for message in log.all()] == ["before"]
    assert log.add("user", "after") == 2
    assert [(m.seq, m.content) for m in on_moto.other().all()] == [(1, "before"), (2, "after")]


def test_a_read_right_after_a_write_sees_it(on_moto: Table) -> None:
    """https://github.com/langchain-ai/langchain-aws/pull/753"""

    def empty_unless_strong(request: Request) -> Outcome:
        weak = request.operation in ("Query", "GetItem") and not request.parameters.get("ConsistentRead")
        return Answer(200, {"Items": [], "Count": 0}) if weak or "IndexName" in request.parameters else Ok()

    log = on_moto.other(client=Faulty(default_client(), empty_unless_strong).client)
    log.add("user", "a")
    log.add("assistant", "b")
    assert [message.content for message in log.all()] == ["a", "b"]
    assert [message.content for message in log.last(2)] == ["a", "b"]
    assert [message.content for message in log.last(1)] == ["b"]
    assert log.count() == 2
    assert log.all(consistent=False) == []


def test_attributes_may_have_reserved_names(on_moto: Table) -> None:
    """https://github.com/aws/aws-sdk-php/issues/1233, https://github.com/Min-ops/cruddy/pull/18"""
    log = on_moto.log()
    log.append({"role": "user", "content": "hi", "name": "ann"})
    log.append({"role": "assistant", "content": "yo"})
    assert log.count() == 2
    assert [message.content for message in log.last(1)] == ["yo"]
    assert [message.content for message in log.all()] == ["hi", "yo"]


def test_reading_an_unknown_conversation_creates_nothing(on_moto: Table) -> None:
    """https://github.com/langchain-ai/langchain/pull/6141"""
    log = on_moto.log("nobody")
    assert (log.all(), log.count(), log.last(3), log.last()) == ([], 0, [], None)
    assert (log.to_openai(), log.to_anthropic(), log.to_langchain()) == ([], [], [])
    assert on_moto.rows() == []
    assert log.add("user", "x") == 1
    assert [message.content for message in log.all()] == ["x"]


@pytest.mark.parametrize("content", ["x" * 409_600, "漢" * 140_000, "漢" * 120_000], ids=["1", "2", "3"])
def test_a_message_larger_than_an_item_is_stored_whole(on_moto: Table, content: str) -> None:
    """https://github.com/aaronsu11/langgraph-checkpoint-dynamodb/issues/8,
    https://github.com/aws-samples/aws-genai-llm-chatbot/issues/580, https://github.com/Chainlit/chainlit/issues/1776
    """
    assert on_moto.log().add("user", content) == 1
    assert [message.content for message in on_moto.other().all()] == [content]


def test_a_batch_larger_than_a_transaction_is_stored_whole(on_moto: Table) -> None:
    """https://docs.aws.amazon.com/goto/SdkForKotlin/dynamodb-2012-08-10/TransactWriteItems"""
    contents = [f"m{number} " + "x" * 380_000 for number in range(1, 13)]
    log = on_moto.log()
    assert log.append_many({"role": "user", "content": content} for content in contents) == 12
    assert log.count() == 12
    assert [message.content for message in on_moto.other().all()] == contents


def test_a_failed_batch_larger_than_a_transaction_stores_nothing(on_moto: Table) -> None:
    """https://docs.aws.amazon.com/goto/SdkForKotlin/dynamodb-2012-08-10/TransactWriteItems"""
    log = on_moto.log()
    on_moto.faulty.script("TransactWriteItems", repeat(cancelled("None", "ValidationError")))
    with pytest.raises(StorageUnavailableError):
        log.append_many({"role": "user", "content": f"m{number} " + "x" * 380_000} for number in range(1, 13))
    assert (log.count(), log.all()) == (0, [])
