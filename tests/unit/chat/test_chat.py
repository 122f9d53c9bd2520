"""A chat as a window on the log: its moves, the values that it shares with nobody, and hooks that raise."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import (
    AgentMessage,
    MessageLog,
    StorageUnavailableError,
    StoredMessage,
    ToolCall,
)
from messagelog.chat import Chat
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.states.state import System, Window
from messagelog.memory import MemoryStorage
from messagelog.storage import Append, Appended


def new_chat(on_append: Callable[[StoredMessage], object] | None = None) -> Chat:
    return Chat(MessageLog(MemoryStorage(), on_append), MemoryChatState())


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


def giving(*messages: Any) -> Any:
    """A strategy whose new window holds these messages."""
    return SimpleNamespace(apply=lambda old: messages)


def test_a_chat_takes_a_log_or_a_storage() -> None:
    storage, state = MemoryStorage(), MemoryChatState()
    Chat(storage, state).user("one")
    Chat(MessageLog(storage), state).user("two")
    assert texts(Chat(storage, state).messages()) == ["one", "two"]


@pytest.mark.parametrize(
    ("log", "state", "wrong"), [("ship", MemoryChatState(), "storage"), (MemoryStorage(), "ship", "state")]
)
def test_a_name_is_refused_as_a_log_and_as_a_state(log: Any, state: Any, wrong: str) -> None:
    with pytest.raises(TypeError, match=f"{wrong} must be a .* such as DynamoDB.*, not str"):
        Chat(log, state)


def test_two_processes_see_the_same_chat() -> None:
    storage, state = MemoryStorage(), MemoryChatState()
    one, other = Chat(storage, state), Chat(storage, state)
    one.user("a")
    other.handoff(giving())
    one.user("b")
    assert (texts(other.messages()), texts(one.historic_messages())) == (["b"], ["a"])
    other.clear()
    assert (one.messages(), one.historic_messages()) == ([], [])


def test_a_clear_reads_nothing_once_it_is_done() -> None:
    class State(MemoryChatState):
        is_cleared = False

        def move(self, window: Window, *, system: System | None = None, seen: Window | None = None) -> int:
            version = super().move(window, system=system, seen=seen)
            self.is_cleared = True
            return version

        def system(self) -> System:
            if self.is_cleared:
                raise StorageUnavailableError("made up for a test")
            return super().system()

    chat = Chat(MemoryStorage(), State())
    root = chat.system()
    root.child("general").prompt("persona").set_content("You are a pirate.")
    chat.hook().message().do(lambda _: 1 / 0)
    chat.clear()
    chat.user("no hook is called")
    root.child("general").prompt("persona").set_content("You are a cook.")
    assert root.compose() == "general\n    persona\n        You are a cook."


Step = tuple[str, int]
steps = st.lists(
    st.tuples(st.sampled_from(["user", "handoff", "clear", "clear_messages"]), st.integers(0, 3)), max_size=12
)


@given(steps)
def test_the_window_holds_the_messages_after_its_last_move(steps: list[Step]) -> None:
    chat = new_chat()
    window: list[str] = []
    historic: list[str] = []
    everything: list[str] = []
    for name, number in steps:
        new = [f"{len(everything)}.{part}" for part in range(number)]
        if name == "user":
            chat.add_all(AgentMessage("user", content) for content in new)
            window += new
            everything += new
        elif name == "handoff":
            chat.handoff(giving(*(AgentMessage("user", content) for content in new)))
            historic, window = historic + window, new
            everything += new
        else:
            getattr(chat, name)()
            historic, window = [], []
        assert (texts(chat.messages()), texts(chat.historic_messages())) == (window, historic)
        assert texts(chat.log.all()) == everything


@given(st.integers(0, 8), st.none() | st.integers(0, 8))
def test_messages_and_historic_messages_are_read_after_a_seq(after: int, limit: int | None) -> None:
    chat = new_chat()
    chat.user("cleared")
    chat.clear()
    for number in (2, 3):
        chat.user(str(number))
    chat.log.add("system", "4 is not a message of the chat")
    chat.handoff(giving(AgentMessage("user", "5")))
    for number in (6, 7):
        chat.user(str(number))
    shown = [seq for seq in (5, 6, 7) if seq > after][:limit]
    assert [message.seq for message in chat.messages(after=after, limit=limit)] == shown
    assert [message.seq for message in chat.iter_messages(after=after)][:limit] == shown
    shown = [seq for seq in (2, 3) if seq > after][:limit]
    assert [message.seq for message in chat.historic_messages(after=after, limit=limit)] == shown
    assert [message.seq for message in chat.iter_historic_messages(after=after)][:limit] == shown


def test_a_negative_number_is_an_error_and_a_large_one_is_not() -> None:
    chat = new_chat()
    chat.user("x")
    for wrong in ({"after": -1}, {"limit": -1}, {"limit": 1.0}, {"limit": True}):
        for read in (chat.messages, chat.historic_messages):
            with pytest.raises(ValueError, match="whole number"):
                read(**wrong)  # type: ignore[arg-type]
    assert len(chat.messages(limit=10**30)) == 1
    assert chat.messages(after=10**30) == chat.historic_messages(after=10**30) == []


def test_add_all_is_one_append() -> None:
    batches: list[int] = []

    class Storage(MemoryStorage):
        def append(self, append: Append) -> Appended:
            batches.append(len(append.messages))
            return super().append(append)

    chat = Chat(Storage(), MemoryChatState())
    assert chat.add_all(AgentMessage("user", str(number)) for number in range(3)) == 3
    assert chat.add_all([]) == 3
    assert batches == [3]


def test_a_record_keeps_the_fields_of_its_messages() -> None:
    chat = new_chat()
    early = datetime(2026, 3, 1, tzinfo=UTC)
    (stored,) = chat.record([AgentMessage("tool", "result", tool_call_id="", origin="hook", created_at=early)])
    assert (stored.tool_call_id, stored.origin, stored.created_at) == ("", "hook", early)


def test_a_chat_shares_no_args_with_its_callers() -> None:
    """https://github.com/strands-agents/harness-sdk/pull/2326"""
    chat = new_chat()
    chat.hook().message().do(spoil)
    args: Any = {"q": ["x"]}
    form: dict[str, Any] = {"role": "assistant", "content": "", "toolCalls": [{"id": "t1", "name": "f", "args": args}]}
    chat.assistant("", [ToolCall("t1", "f", args)])
    chat.add_all([form])
    (recorded,) = chat.record([AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),))])
    assert form == {"role": "assistant", "content": "", "toolCalls": [{"id": "t1", "name": "f", "args": {"q": ["x"]}}]}
    assert recorded.tool_calls[0].args == {"q": ["x"]}
    args["q"].append("LATER")
    for message in (*chat.messages(), recorded):
        spoil(message)
    chat.handoff(SimpleNamespace(apply=lambda old: [spoil(message) for message in old] and []))
    assert [message.tool_calls[0].args for message in chat.historic_messages()] == [{"q": ["x"]}] * 3


def spoil(message: StoredMessage) -> None:
    """Changes the args of the message's call."""
    args: Any = message.tool_calls[0].args
    args["q"].append("HACK")
