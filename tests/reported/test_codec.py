"""Faults of codecs that people have reported in public, with the right outcome here. Each test names its sources."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, ToolCall

from tests.support.tables import Table


def calling(args: Any) -> AgentMessage:
    return AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "tune", args),))


def args_back(table: Table, args: Any) -> Any:
    """The args as another process reads them."""
    table.log().append(calling(args))
    last = table.other().last()
    assert last is not None
    return last.tool_calls[0].args


def test_floats_in_args_come_back_bit_for_bit(on_moto: Table) -> None:
    """https://github.com/Chainlit/chainlit/issues/1116, https://github.com/langchain-ai/langchain/pull/26562"""
    args = {"temperature": 0.1, "steps": [{"score": 0.30000000000000004}, {"score": -2.5e-07}]}
    back = args_back(on_moto, args)
    assert back == args
    numbers = [back["temperature"], back["steps"][0]["score"], back["steps"][1]["score"]]
    assert [type(number) for number in numbers] == [float, float, float]
    assert [number.hex() for number in numbers] == [(0.1).hex(), (0.30000000000000004).hex(), (-2.5e-07).hex()]


def test_whole_floats_stay_floats_and_minus_zero_keeps_its_sign(on_moto: Table) -> None:
    """https://github.com/boto/boto3/issues/369, https://github.com/HENNGE/aiodynamo/issues/54"""
    args = {"ratio": 1.0, "zero": -0.0, "n": 1, "list": [2.0, 2]}
    back = args_back(on_moto, args)
    assert type(back["ratio"]) is float
    assert math.copysign(1, back["zero"]) == -1.0
    assert type(back["n"]) is int
    assert [type(number) for number in back["list"]] == [float, int]
    assert json.dumps(back) == json.dumps(args)


def test_nan_and_infinities_are_refused_before_any_write(on_moto: Table) -> None:
    """https://github.com/apify/apify-client-python/pull/87, https://github.com/conbench/conbench/issues/1163"""
    log = on_moto.log()
    for number in ("NaN", "Infinity", "-Infinity"):
        with pytest.raises(ValueError, match=r"toolCalls\[0\]\.args\.x: is not a finite number"):
            log.append(calling({"x": float(number)}))
    assert on_moto.faulty.operations == []
    assert log.count() == 0
    assert log.add("user", "next") == 1


def test_the_order_of_keys_is_kept_so_that_prompt_caches_hit(on_moto: Table) -> None:
    """https://github.com/stanfordnlp/dspy/issues/10216, https://github.com/unslothai/unsloth/pull/10845"""
    args = {"path": "a.txt", "edits": [{"new": "y", "old": "x"}], "b": 1, "a": 2}
    on_moto.log().append(calling(args))
    one, other = (on_moto.other().to_openai()[0]["tool_calls"][0]["function"]["arguments"] for _ in range(2))
    assert one == other
    assert json.dumps(json.loads(one)) == json.dumps(args)


def test_nul_in_text_is_kept(on_moto: Table) -> None:
    """https://github.com/coder/coder/pull/22946, https://github.com/speakeasy-api/gram/pull/6103"""
    on_moto.log().append({"role": "tool", "toolCallId": "t1", "content": "a\0b"})
    assert [message.content for message in on_moto.other().all()] == ["a\0b"]


@pytest.mark.parametrize("depth", [20, 31, 32, 33, 40, 200])
def test_args_may_nest_deeper_than_a_dynamodb_map(on_moto: Table, depth: int) -> None:
    """https://github.com/nubo-db/dynoxide/issues/110, https://github.com/scylladb/scylladb/issues/6366"""
    args: Any = 1
    for _ in range(depth):
        args = {"k": args}
    assert args_back(on_moto, args) == args


@pytest.mark.parametrize("content", [{"ok": True}, None, 42, ["x"], True, [{"type": "text", "text": "x"}]])
def test_content_that_is_not_text_is_refused(on_moto: Table, content: Any) -> None:
    """https://github.com/NousResearch/hermes-agent/pull/81546, https://github.com/lastmile-ai/mcp-agent/issues/25"""
    log = on_moto.log()
    with pytest.raises(CodecError) as caught:
        log.append({"role": "tool", "toolCallId": "t1", "content": content})
    assert caught.value.path == "content"
    assert log.count() == 0
