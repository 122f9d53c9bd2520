"""A chat as a window on the log: what moves it, who owns what is passed and returned, and hooks that go wrong."""

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
    OnAppendError,
    StorageUnavailableError,
    StoredMessage,
    ToolCall,
)
from messagelog.chat import Chat, MessageQueue
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.states.state import System, Window
from messagelog.memory import MemoryStorage
from messagelog.storage import Append, Appended, ConditionFailedError


def new_chat(on_append: Callable[[StoredMessage], object] | None = None) -> Chat:
    return Chat(MessageLog(MemoryStorage(), on_append), MemoryChatState())


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


def giving(*messages: Any) -> Any:
    """A strategy that goes on with these messages."""
    return SimpleNamespace(apply=lambda old: messages)


def test_a_chat_takes_a_log_or_a_storage() -> None:
    storage, state = MemoryStorage(), MemoryChatState()
    Chat(storage, state).user("one")
    Chat(MessageLog(storage), state).user("two")
    assert texts(Chat(storage, state).messages()) == ["one", "two"]


@pytest.mark.parametrize(
    ("log", "state", "wrong"), [("ship", MemoryChatState(), "storage"), (MemoryStorage(), "ship", "state")]
)
def test_a_name_is_no_log_and_no_state(log: Any, state: Any, wrong: str) -> None:
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
def test_the_window_is_what_was_added_since_whatever_moved_it(steps: list[Step]) -> None:
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
def test_messages_and_historic_ones_are_read_on_from_a_seq(after: int, limit: int | None) -> None:
    chat = new_chat()
    chat.user("cleared")
    chat.clear()
    for number in (2, 3):
        chat.user(str(number))
    chat.log.add("system", "4 is no message of the chat")
    chat.handoff(giving(AgentMessage("user", "5")))
    for number in (6, 7):
        chat.user(str(number))
    shown = [seq for seq in (5, 6, 7) if seq > after][:limit]
    assert [message.seq for message in chat.messages(after=after, limit=limit)] == shown
    assert [message.seq for message in chat.iter_messages(after=after)][:limit] == shown
    shown = [seq for seq in (2, 3) if seq > after][:limit]
    assert [message.seq for message in chat.historic_messages(after=after, limit=limit)] == shown
    assert [message.seq for message in chat.iter_historic_messages(after=after)][:limit] == shown


def test_numbers_out_of_range_are_an_error_and_large_ones_are_not() -> None:
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


def test_hooks_are_called_after_the_commit_of_all_in_the_order_of_messages() -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(lambda message: seen.append((1, message.seq, chat.log.count())))
    chat.hook().message().do(lambda message: seen.append((2, message.seq, chat.log.count())))
    chat.add_all([AgentMessage("user", "a"), AgentMessage("user", "b")])
    assert seen == [(1, 1, 2), (2, 1, 2), (1, 2, 2), (2, 2, 2)]


def test_a_hook_may_add_to_the_chat() -> None:
    chat = new_chat()
    chat.hook().message("user").do(lambda message: chat.assistant(f"you said {message.content}"))
    assert chat.user("hi") == 1
    assert texts(chat.messages()) == ["hi", "you said hi"]


def test_a_hook_that_raises_leaves_the_messages_stored_and_the_others_called() -> None:
    told: list[int] = []
    chat, seen = new_chat(lambda message: told.append(message.seq)), []

    def fail(message: StoredMessage) -> None:
        raise RuntimeError(f"no. {message.seq}")

    chat.hook().message().do(fail)
    chat.hook().message().do(seen.append)
    for add in (chat.user, chat.reasoning):
        with pytest.raises(OnAppendError) as caught:
            add("the-users-own-words")
        assert "the-users-own-words" not in f"{caught.value} {caught.value!r}"
    with pytest.raises(OnAppendError) as caught:
        chat.add_all([AgentMessage("user", "c"), AgentMessage("user", "d")])
    assert (caught.value.seqs, str(caught.value.__cause__)) == ((3, 4), "no. 3")
    assert seen == chat.messages()
    assert told == [message.seq for message in seen] == [1, 2, 3, 4]


def test_an_on_append_of_the_log_that_raises_stops_no_hook() -> None:
    def fail(message: StoredMessage) -> None:
        raise RuntimeError

    chat, seen = new_chat(fail), []
    chat.hook().message().do(seen.append)
    with pytest.raises(OnAppendError):
        chat.user("a")
    assert seen == chat.messages()


def test_what_the_service_records_keeps_its_own_rules() -> None:
    chat = new_chat()
    early = datetime(2026, 3, 1, tzinfo=UTC)
    (stored,) = chat.record([AgentMessage("tool", "result", tool_call_id="", origin="hook", created_at=early)])
    assert (stored.tool_call_id, stored.origin, stored.created_at) == ("", "hook", early)


def test_what_commits_with_a_record_is_committed_or_nothing_is() -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(seen.append)
    MessageQueue(chat.state).user("queued")
    staged = chat.state.staged(limit=9)
    drained = [each.message for each in staged]
    stored = chat.record(drained, chat.state.unstaging(staged))
    assert (texts(stored), seen) == (["queued"], [])
    chat.tell(stored)
    with pytest.raises(ConditionFailedError):
        chat.record(drained, chat.state.unstaging(staged))
    assert (texts(chat.messages()), len(seen)) == (["queued"], 1)


def test_changing_what_was_passed_or_returned_changes_nothing_stored() -> None:
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
    """Changes what is inside the message's args."""
    args: Any = message.tool_calls[0].args
    args["q"].append("HACK")
