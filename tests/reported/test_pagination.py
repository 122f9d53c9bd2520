"""Public bug reports about paging. Each test names its sources, and asserts the right behaviour."""

from __future__ import annotations

from messagelog import AgentMessage

from tests.support.logs import noise
from tests.support.tables import Table


def test_a_history_of_more_than_one_page_is_read_whole(on_moto: Table) -> None:
    """https://github.com/mastra-ai/mastra/issues/19550,
    https://github.com/aws-samples/generative-ai-use-cases/issues/1663,
    https://github.com/aws-samples/aws-genai-llm-chatbot/pull/290
    """
    log = on_moto.log()
    filler = noise(250_000)  # compressible text would fit one page
    for number in range(1, 13):
        log.add("user", f"m{number} {filler}")
    on_moto.faulty.forget()
    assert [message.content for message in log.all()] == [f"m{number} {filler}" for number in range(1, 13)]
    assert len(on_moto.faulty.sent("Query")) > 1
    last = log.last()
    assert last is not None
    assert last.content.startswith("m12 ")
    assert log.count() == 12
    assert [m.content.partition(" ")[0] for m in log.last(7)] == [f"m{number}" for number in range(6, 13)]
    assert len(log.to_openai()) == 12


def test_other_items_of_the_partition_do_not_fill_a_window(on_moto: Table) -> None:
    """https://github.com/aws/aws-sdk-java/issues/339, https://github.com/AlisProject/serverless-application/pull/105"""
    log = on_moto.log()
    log.append_many([AgentMessage("user", "m1"), AgentMessage("assistant", "m2"), AgentMessage("user", "m3")])
    for entry in ("key#1", "key#2", "seg#1#000000", "system", "zzz"):
        item = {"conversation": {"S": "c1"}, "entry": {"S": entry}, "content": {"S": "helper"}}
        on_moto.faulty.client.put_item(TableName=on_moto.name, Item=item)
    assert [message.content for message in log.last(3)] == ["m1", "m2", "m3"]
    assert [message.content for message in log.last(1)] == ["m3"]
    assert [message.content for message in log.all()] == ["m1", "m2", "m3"]


def test_last_n_returns_exactly_n_oldest_first(on_moto: Table) -> None:
    """https://github.com/FlowiseAI/Flowise/issues/2920"""
    log = on_moto.log()
    log.append_many(AgentMessage("user", f"m{number}") for number in range(1, 6))
    assert [(m.seq, m.content) for m in log.last(2)] == [(4, "m4"), (5, "m5")]
    assert [message.content for message in log.last(5)] == ["m1", "m2", "m3", "m4", "m5"]
