"""The replies of the Bedrock provider, from a server over real HTTP that speaks the event-stream encoding."""

from __future__ import annotations

import threading

import pytest
from messagelog.chat import Chat, ChatService
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.providers import ContentDelta, Finish, ReasoningDelta, ToolCallDelta
from messagelog.memory import MemoryStorage

from tests.providers import bedrock_rules
from tests.support.bedrock_server import ASKED, START, STOP, TEXT, Bedrock, delta, frame, streams
from tests.support.chats import Weather, said


def test_text_reasoning_and_calls_come_as_streamed(bedrock: Bedrock) -> None:
    use = {"toolUseId": "c1", "name": "get_weather"}
    frames = [
        START,
        delta(0, reasoningContent={"text": "Hm."}),
        delta(0, reasoningContent={"signature": "s"}),
        frame("contentBlockStop", {"contentBlockIndex": 0}),
        delta(1, text="Ahoy!"),
        frame("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": use}}),
        delta(2, toolUse={"input": '{"city":'}),
        delta(2, toolUse={"input": ' "Köln"}'}),
        frame("messageStop", {"stopReason": "tool_use"}),
        frame("metadata", {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {}}),
    ]
    assert bedrock.events(streams(frames)) == [
        ReasoningDelta("Hm."),
        ContentDelta("Ahoy!"),
        ToolCallDelta(2, "c1", "get_weather", ""),
        ToolCallDelta(2, "", "", '{"city":'),
        ToolCallDelta(2, "", "", ' "Köln"}'),
        Finish("tool_use"),
    ]


def test_a_tool_that_bedrock_runs_itself_is_not_a_call(bedrock: Bedrock) -> None:
    hosted = {"toolUseId": "s1", "name": "nova_grounding", "type": "server_tool_use"}
    own = {"toolUseId": "c1", "name": "get_weather"}
    frames = [
        START,
        frame("contentBlockStart", {"contentBlockIndex": 0, "start": {"toolUse": hosted}}),
        delta(0, toolUse={"input": '{"query": "x"}'}),
        frame("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": own}}),
        delta(1, toolUse={"input": "{}"}),
        frame("messageStop", {"stopReason": "tool_use"}),
    ]
    assert bedrock.events(streams(frames)) == [
        ToolCallDelta(1, "c1", "get_weather", ""),
        ToolCallDelta(1, "", "", "{}"),
        Finish("tool_use"),
    ]


@pytest.mark.parametrize(
    ("reason", "is_cut"),
    [
        ("end_turn", False),
        ("stop_sequence", False),
        ("tool_use", False),
        ("max_tokens", True),
        ("model_context_window_exceeded", True),
        ("guardrail_intervened", True),
        ("content_filtered", True),
        ("malformed_tool_use", True),
        ("malformed_model_output", True),
    ],
)
def test_a_reply_that_was_stopped_is_cut(bedrock: Bedrock, reason: str, is_cut: bool) -> None:
    stop = frame("messageStop", {"stopReason": reason})
    assert bedrock.events(streams([*TEXT, stop]))[-1] == Finish(reason, is_cut)


def test_a_whole_turn_with_tools_follows_converses_rules(bedrock: Bedrock) -> None:
    use = {"toolUseId": "c1", "name": "get_weather"}
    calls = [
        START,
        delta(0, reasoningContent={"text": "Hm."}),
        frame("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": use}}),
        delta(1, toolUse={"input": '{"city": "Köln"}'}),
        frame("messageStop", {"stopReason": "tool_use"}),
    ]
    bedrock.steps += [streams(calls), streams([*TEXT, STOP])]
    service = ChatService(Chat(MemoryStorage(), MemoryChatState()), bedrock.provider())
    service.tools().add(Weather())
    service.send("How is Köln?")
    assert said(service.chat().messages()) == [
        ("user", "How is Köln?"),
        ("reasoning", "Hm."),
        ("assistant", ""),
        ("tool", "22 in Köln"),
        ("assistant", "Ahoy!"),
    ]
    for request in bedrock.requests:
        assert not bedrock_rules.faults(request["messages"])
        assert request["system"][0]["text"].startswith("tutorials")
    assert bedrock.requests[1]["messages"][1]["content"] == [{"toolUse": {**use, "input": {"city": "Köln"}}}]


def test_closing_the_stream_ends_the_request(bedrock: Bedrock) -> None:
    ending = threading.Event()
    bedrock.steps.append(streams(TEXT, wait=ending))
    stream = bedrock.provider().stream(None, ASKED, [])
    assert next(stream) == ContentDelta("Ah")
    stream.close()  # type: ignore[attr-defined]
    ending.set()
