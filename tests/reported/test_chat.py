"""Faults of chats that were reported in public. Each test names its sources and asserts the right behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from messagelog import AgentMessage, MessageLog, OnAppendError, StoredMessage
from messagelog.chat import Chat, ChatService, Prompt
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.providers import ContentDelta, Event, Finish, ToolSpec
from messagelog.memory import MemoryStorage
from messagelog.views.openai import to_openai


@pytest.fixture
def chat() -> Chat:
    return Chat(MessageLog(MemoryStorage()), MemoryChatState())


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


class Model:
    """A provider that replies with `r` and the user's last text. It calls `during` while it is asked."""

    def __init__(self, during: Callable[[], object] = lambda: None) -> None:
        self.requests: list[str] = []
        self.during = during

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        return to_openai(messages)

    def stream(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> Iterator[Event]:
        self.requests.append("\n".join([system or "", *(message["content"] for message in messages)]))
        self.during()
        yield ContentDelta(f"r{messages[-1]['content']}")
        yield Finish("stop")


def test_the_system_prompt_is_composed_and_never_logged(chat: Chat) -> None:
    """https://github.com/SamSaffron/term-llm/pull/250, https://github.com/NousResearch/hermes-agent/issues/68257"""
    chat.system().add(Prompt("", "P1"))
    tools = chat.system().child("tools")
    tools.prompt("p2").set_content("P2")
    model = Model()
    service = ChatService(chat, model)
    for text in "abc":
        service.send(text)
    assert texts(chat.log.all()) == ["a", "ra", "b", "rb", "c", "rc"]
    assert model.requests == [
        "P1\ntools\n    p2\n        P2\na",
        "P1\ntools\n    p2\n        P2\na\nra\nb",
        "P1\ntools\n    p2\n        P2\na\nra\nb\nrb\nc",
    ]
    tools.prompt("p2").set_content("P3")
    service.send("d")
    assert model.requests[-1] == "P1\ntools\n    p2\n        P3\na\nra\nb\nrb\nc\nrc\nd"
    assert texts(chat.log.all()) == ["a", "ra", "b", "rb", "c", "rc", "d", "rd"]


def test_a_message_queued_during_a_send_waits_for_the_next(chat: Chat) -> None:
    """https://github.com/cfal/garcon/pull/216, https://github.com/kortix-ai/suna/pull/6110,
    https://github.com/stagewise-io/stagewise/pull/1528
    """
    model = Model(during=lambda: service.queue().user("s2") if len(model.requests) == 1 else None)
    service = ChatService(chat, model)
    service.queue().user("s1")
    for text in ("u1", "u2", "u3"):
        service.send(text)
    assert texts(chat.messages()) == ["s1", "u1", "ru1", "s2", "u2", "ru2", "u3", "ru3"]
    assert [request.split().count("s2") for request in model.requests] == [0, 1, 1]


def test_changing_what_was_passed_or_returned_changes_no_history() -> None:
    """https://github.com/567-labs/instructor/issues/2437, https://github.com/NousResearch/hermes-agent/pull/80963,
    https://github.com/strands-agents/harness-sdk/pull/2326
    """

    def on_message(message: StoredMessage) -> None:
        args: Any = message.tool_calls[0].args
        args.update(q="HOOK")

    args = {"q": ["x"]}
    form = {"role": "assistant", "content": "", "toolCalls": [{"id": "t1", "name": "f", "args": args}]}
    chat = Chat(MessageLog(MemoryStorage(), on_message), MemoryChatState())
    chat.hook().message().do(on_message)
    for _ in range(2):
        chat.add_all([form])
    assert form == {"role": "assistant", "content": "", "toolCalls": [{"id": "t1", "name": "f", "args": {"q": ["x"]}}]}
    args["q"].append("LATER")
    read: list[Any] = chat.messages()
    read[0].tool_calls[0].args["q"].clear()
    read.clear()
    chat.log.to_anthropic()[1]["content"][0]["input"]["q"] = "HACK"
    assert [message.tool_calls[0].args for message in chat.messages()] == [{"q": ["x"]}] * 2


def test_a_hook_that_raises_loses_and_doubles_no_message(chat: Chat) -> None:
    """https://github.com/akka/akka-core/pull/18033, https://github.com/novuhq/novu/pull/11610"""
    seen: list[StoredMessage] = []

    def boom(message: StoredMessage) -> None:
        raise RuntimeError("boom")

    chat.hook().message().max_triggers(1).do(boom)
    chat.hook().message().do(seen.append)
    with pytest.raises(OnAppendError) as caught:
        chat.user("x")
    assert (caught.value.seqs, str(caught.value.__cause__)) == ((1,), "boom")
    assert texts(chat.messages()) == ["x"]
    assert chat.user("y") == 2
    assert texts(chat.messages()) == texts(seen) == ["x", "y"]


def test_reasoning_is_sent_to_no_provider(chat: Chat) -> None:
    """https://github.com/adolfousier/opencrabs/issues/760"""
    chat.add_all(
        [
            AgentMessage("user", "q"),
            {"role": "reasoning", "content": "hidden plan", "origin": "model"},
            {"role": "assistant", "content": "answer"},
        ]
    )
    plain = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "answer"}]
    assert chat.log.to_openai() == chat.log.to_langchain() == plain
    blocks = [
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "answer"}]},
    ]
    assert chat.log.to_anthropic() in (plain, blocks)
    assert [message.role for message in chat.messages()] == ["user", "reasoning", "assistant"]
