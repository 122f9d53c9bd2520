"""The requests of the Bedrock provider. Options are merged with the fields that it sends itself."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import StoredMessage, ToolCall
from messagelog.chat.providers import Finish

from tests.support.bedrock_server import ASKED, CLAUDE, STOP, TEXT, WEATHER, Bedrock, refuses, streams


def test_the_request_holds_prompt_messages_and_tools(bedrock: Bedrock) -> None:
    options = {"inferenceConfig": {"maxTokens": 5}}
    bedrock.events(streams([*TEXT, STOP]), system="Be brief.", tools=[WEATHER], options=options)
    spec = {"name": "get_weather", "description": "The weather.", "inputSchema": {"json": {"type": "object"}}}
    assert bedrock.requests == [
        {
            "path": "/model/amazon.nova-x-v1%3A0/converse-stream",
            "system": [{"text": "Be brief."}],
            "messages": ASKED,
            "toolConfig": {"tools": [{"toolSpec": spec}]},
            **options,
        }
    ]


def test_without_prompt_and_tools_neither_is_sent(bedrock: Bedrock) -> None:
    bedrock.events(streams([*TEXT, STOP]))
    assert bedrock.requests[0].keys() == {"path", "messages"}


def test_a_tool_without_a_description_has_none(bedrock: Bedrock) -> None:
    bare = SimpleNamespace(name="f", description="", parameters={"type": "object"})
    bedrock.events(streams([*TEXT, STOP]), tools=[bare])
    (tool,) = bedrock.requests[0]["toolConfig"]["tools"]
    assert tool["toolSpec"].keys() == {"name", "inputSchema"}


def test_a_history_of_tools_that_are_gone_is_accepted(bedrock: Bedrock) -> None:
    """Converse refuses tool blocks without a toolConfig."""
    at = datetime.now(UTC)
    history = [
        StoredMessage("user", "weather?", seq=1, at=at),
        StoredMessage("assistant", "", tool_calls=(ToolCall("c1", "f", {}), ToolCall("c2", "f", {})), seq=2, at=at),
        StoredMessage("tool", "mild", tool_call_id="c1", seq=3, at=at),
        StoredMessage("tool", "warm", tool_call_id="c2", seq=4, at=at),
    ]
    bedrock.events(streams([*TEXT, STOP]), messages=bedrock.provider().view(history))
    names = [tool["toolSpec"]["name"] for tool in bedrock.requests[0]["toolConfig"]["tools"]]
    assert names == ["f"]


def test_claude_is_asked_not_to_think(bedrock: Bedrock) -> None:
    bedrock.events(streams([*TEXT, STOP]), model=CLAUDE)
    assert bedrock.requests[0]["additionalModelRequestFields"] == {"thinking": {"type": "disabled"}}


def test_a_claude_that_must_think_is_asked_once(bedrock: Bedrock) -> None:
    refused = refuses(400, "ValidationException", '"thinking.type.disabled" is not supported for this model.')
    bedrock.steps += [refused, streams([*TEXT, STOP]), streams([*TEXT, STOP])]
    provider = bedrock.provider(model=CLAUDE)
    for _ in range(2):
        assert list(provider.stream(None, ASKED, []))[-1] == Finish("end_turn")
    assert ["additionalModelRequestFields" in request for request in bedrock.requests] == [True, False, False]


def test_another_refusal_is_not_asked_again(bedrock: Bedrock) -> None:
    assert bedrock.error(refuses(400, "ValidationException"), model=CLAUDE).status == 400


def test_options_decide_about_thinking(bedrock: Bedrock) -> None:
    fields = {"thinking": {"type": "adaptive"}}
    bedrock.events(streams([*TEXT, STOP]), model=CLAUDE, options={"additionalModelRequestFields": fields})
    assert bedrock.requests[0]["additionalModelRequestFields"] == fields


CACHE_POINT = {"cachePoint": {"type": "default"}}
THEIR_TOOL = {"toolSpec": {"name": "theirs", "inputSchema": {"json": {"type": "object"}}}}


def request(bedrock: Bedrock, options: dict[str, Any], **how: Any) -> dict[str, Any]:
    """The request that is sent with the options."""
    bedrock.events(streams([*TEXT, STOP]), options=options, **how)
    return bedrock.requests[-1]


def names(sent: dict[str, Any]) -> list[str]:
    """The names of the tools of a request, and `cachePoint` for a cache point."""
    return [tool["toolSpec"]["name"] if "toolSpec" in tool else "cachePoint" for tool in sent["toolConfig"]["tools"]]


def test_a_tool_choice_of_the_options_is_sent_with_the_tools(bedrock: Bedrock) -> None:
    sent = request(bedrock, {"toolConfig": {"toolChoice": {"any": {}}}}, tools=[WEATHER])
    assert (names(sent), sent["toolConfig"]["toolChoice"]) == (["get_weather"], {"any": {}})


def test_tools_of_the_options_follow_the_chats_tools(bedrock: Bedrock) -> None:
    sent = request(bedrock, {"toolConfig": {"tools": [THEIR_TOOL, CACHE_POINT]}}, tools=[WEATHER])
    assert names(sent) == ["get_weather", "theirs", "cachePoint"]
    assert names(request(bedrock, {"toolConfig": {"tools": [THEIR_TOOL]}})) == ["theirs"]


@pytest.mark.parametrize("tools", [[], [CACHE_POINT]])
def test_a_tool_config_without_a_tool_is_not_sent(bedrock: Bedrock, tools: list[Any]) -> None:
    options = {"toolConfig": {"toolChoice": {"any": {}}, "tools": tools}}
    assert "toolConfig" not in request(bedrock, options)


def test_a_tool_choice_does_not_ask_for_tools_that_are_gone(bedrock: Bedrock) -> None:
    at = datetime.now(UTC)
    history = [
        StoredMessage("user", "weather?", seq=1, at=at),
        StoredMessage("assistant", "", tool_calls=(ToolCall("c1", "f", {}),), seq=2, at=at),
        StoredMessage("tool", "mild", tool_call_id="c1", seq=3, at=at),
    ]
    options = {"toolConfig": {"toolChoice": {"any": {}}}}
    sent = request(bedrock, options, messages=bedrock.provider().view(history))
    assert (names(sent), sent["toolConfig"].keys()) == (["f"], {"tools"})


def test_system_blocks_of_the_options_follow_the_prompt(bedrock: Bedrock) -> None:
    theirs = [{"text": "Rules."}, CACHE_POINT]
    assert request(bedrock, {"system": theirs}, system="Be brief.")["system"] == [{"text": "Be brief."}, *theirs]
    assert request(bedrock, {"system": theirs})["system"] == theirs


def test_model_fields_of_the_options_are_kept(bedrock: Bedrock) -> None:
    sent = request(bedrock, {"additionalModelRequestFields": {"top_k": 5}}, model=CLAUDE)
    assert sent["additionalModelRequestFields"] == {"top_k": 5, "thinking": {"type": "disabled"}}


def test_a_request_does_not_change_the_options(bedrock: Bedrock) -> None:
    options = {"toolConfig": {"tools": [THEIR_TOOL]}, "system": [{"text": "Rules."}]}
    for _ in range(2):
        sent = request(bedrock, options, system="Be brief.", tools=[WEATHER])
    assert (len(sent["toolConfig"]["tools"]), len(sent["system"])) == (2, 2)
    assert options == {"toolConfig": {"tools": [THEIR_TOOL]}, "system": [{"text": "Rules."}]}


@pytest.mark.parametrize("name", ["modelId", "messages"])
def test_options_must_not_hold_a_field_of_the_provider(bedrock: Bedrock, name: str) -> None:
    with pytest.raises(ValueError, match=f"must not hold '{name}'"):
        bedrock.provider(options={name: "x"})
