"""A chat as a window on the log: what moves it, who owns what is passed and returned, and what goes wrong."""

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
    CodecError,
    ExpectedCountError,
    MessageLog,
    MessageTooLargeError,
    OnAppendError,
    SendRunningError,
    StoredMessage,
    ToolCall,
)
from messagelog.chat import Chat, ChatRole, MessageQueue, Origin
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.state import Window
from messagelog.memory import MemoryStorage
from messagelog.storage import AlsoError


def new_chat(on_append: Callable[[StoredMessage], object] | None = None) -> Chat:
    return Chat(MessageLog(MemoryStorage(), on_append), MemoryChatState())


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


def giving(*messages: Any) -> Any:
    """A strategy that goes on with these messages."""
    return SimpleNamespace(apply=lambda old: messages)


def call(arguments: str, **fields: Any) -> dict[str, Any]:
    return {"id": "t1", "type": "function", "function": {"name": "f", "arguments": arguments}, **fields}


def test_a_chat_takes_a_log_or_a_storage() -> None:
    storage, state = MemoryStorage(), MemoryChatState()
    Chat(storage, state).user("one")
    Chat(MessageLog(storage), state).user("two")
    assert texts(Chat(storage, state).messages()) == ["one", "two"]


def test_two_processes_see_the_same_chat() -> None:
    storage, state = MemoryStorage(), MemoryChatState()
    one, other = Chat(storage, state), Chat(storage, state)
    one.user("a")
    other.handoff(giving())
    one.user("b")
    assert (texts(other.messages()), texts(one.historic_messages())) == (["b"], ["a"])
    other.clear()
    assert (one.messages(), one.historic_messages()) == ([], [])


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


def test_a_strategy_gets_the_window_and_its_messages_become_historic() -> None:
    chat, got = new_chat(), []

    class KeepLast:
        def apply(self, messages: list[StoredMessage]) -> list[StoredMessage]:
            got.extend(messages)
            return messages[-1:]

    chat.user("a")
    chat.assistant("b")
    kept = chat.messages()[-1]
    chat.handoff(KeepLast())
    assert texts(got) == texts(chat.historic_messages()) == ["a", "b"]
    (now,) = chat.messages()
    assert (now.content, now.seq, now.origin, now.created_at) == ("b", 3, "model", kept.created_at)
    chat.handoff(giving({"role": "user", "content": "summary"}))
    assert texts(chat.historic_messages()) == ["a", "b", "b"]
    assert texts(chat.messages()) == ["summary"]


def test_a_strategy_gets_no_message_that_stays_in_the_window() -> None:
    class State(MemoryChatState):
        def window(self) -> Window:
            if chat.log.count() == 1:
                chat.log.add("user", "added while the window is read")
            return super().window()

    chat, got = Chat(MemoryStorage(), State()), []
    chat.user("a")
    chat.handoff(SimpleNamespace(apply=lambda old: got.extend(old) or []))
    assert texts(got) == texts(chat.historic_messages()) == ["a"]
    assert texts(chat.messages()) == ["added while the window is read"]


def test_a_handoff_calls_no_hook() -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(seen.append)
    chat.user("a")
    chat.handoff(giving(AgentMessage("user", "summary")))
    assert texts(seen) == ["a"]


def test_a_handoff_that_a_message_came_into_changes_nothing() -> None:
    chat = new_chat()
    chat.user("a")

    def apply(messages: list[StoredMessage]) -> list[AgentMessage]:
        chat.user("came in between")
        return [AgentMessage("user", "summary of a")]

    with pytest.raises(ExpectedCountError):
        chat.handoff(SimpleNamespace(apply=apply))
    assert (texts(chat.messages()), chat.historic_messages()) == (["a", "came in between"], [])


def test_a_message_that_comes_into_a_handoff_to_nothing_stays_in_the_chat() -> None:
    chat = new_chat()
    chat.user("a")

    def apply(messages: list[StoredMessage]) -> list[AgentMessage]:
        chat.user("came in between")
        return []

    chat.handoff(SimpleNamespace(apply=apply))
    assert (texts(chat.messages()), texts(chat.historic_messages())) == (["came in between"], ["a"])


@pytest.mark.parametrize("bad", [AgentMessage("system", "x"), {"role": "narrator", "content": "x"}, "text"])
def test_a_strategy_that_gives_what_is_no_message_changes_nothing(bad: Any) -> None:
    chat = new_chat()
    chat.user("a")
    with pytest.raises(CodecError):
        chat.handoff(giving(AgentMessage("user", "fine"), bad))
    assert (texts(chat.messages()), chat.historic_messages()) == (["a"], [])


def test_clearing_and_handing_off_are_refused_while_a_send_runs() -> None:
    chat, seen, asked = new_chat(), [], []
    chat.user("a")
    chat.hook().message().do(seen.append)
    root = chat.system()
    root.prompt("persona").set_content("You are a pirate.")
    lease = chat.state.acquire("a send", seconds=600)
    strategy = SimpleNamespace(apply=lambda old: asked.append(old) or [AgentMessage("user", "summary")])
    for refused in (chat.clear, chat.clear_messages, lambda: chat.handoff(strategy)):
        with pytest.raises(SendRunningError):
            refused()
    assert (texts(chat.messages()), chat.log.count(), root.has_content(), asked) == (["a"], 1, True, [])
    chat.user("b")
    assert len(seen) == 1
    chat.state.release(lease)
    chat.handoff(strategy)
    assert texts(chat.messages()) == ["summary"]


@pytest.mark.parametrize("result", [[], [AgentMessage("user", "summary")]])
def test_a_send_that_begins_during_a_handoff_is_not_disturbed(result: list[AgentMessage]) -> None:
    chat = new_chat()
    chat.user("a")

    def apply(messages: list[StoredMessage]) -> list[AgentMessage]:
        chat.state.acquire("a send", seconds=600)
        return result

    with pytest.raises(SendRunningError):
        chat.handoff(SimpleNamespace(apply=apply))
    assert (texts(chat.messages()), chat.log.count()) == (["a"], 1)


@pytest.mark.parametrize(
    "arguments",
    ["", "{", "no JSON", '{"a": 1, "a": 2}', '{"x": NaN}', '"text"', "null", '{"n": 1e400}', "[" * 5000, " {} x"],
)
def test_arguments_that_are_no_json_come_back_as_the_same_text(arguments: str) -> None:
    chat = new_chat()
    chat.assistant("", [call(arguments)])
    (kept,) = chat.messages()[0].tool_calls
    assert kept == ToolCall("t1", "f", arguments or {})
    (entry,) = chat.log.to_openai(faithful=True)
    assert entry["tool_calls"][0]["function"]["arguments"] == (arguments or "{}")


def test_tool_calls_are_taken_as_values_too_and_several_at_once() -> None:
    chat = new_chat()
    chat.assistant("", iter([ToolCall("t1", "f", {"q": 1}), call('{"q": 2}', id="t2"), call("[1]", id="t3")]))
    assert chat.messages()[0].tool_calls == (
        ToolCall("t1", "f", {"q": 1}),
        ToolCall("t2", "f", {"q": 2}),
        ToolCall("t3", "f", [1]),
    )


def test_tool_calls_of_the_openai_package_are_taken() -> None:
    from openai.types.chat import ChatCompletionMessageFunctionToolCall as Call

    chat = new_chat()
    chat.assistant("", [Call.model_validate(call('{"q": 1}'))])
    assert chat.messages()[0].tool_calls == (ToolCall("t1", "f", {"q": 1}),)


@pytest.mark.parametrize(
    ("calls", "path"),
    [
        (["text"], "toolCalls[0]"),
        ([call("{}"), {"id": "t1", "name": "f", "args": {}}], "toolCalls[1]"),
        ([call("{}", id=1)], "toolCalls[0].id"),
        ([{"id": "t1", "function": {"arguments": "{}"}}], "toolCalls[0].function.name"),
        ([{"id": "t1", "function": None}], "toolCalls[0]"),
        ([ToolCall("t1", "f", {"x": float("nan")})], "toolCalls[0].args.x"),
    ],
)
def test_what_is_no_tool_call_is_refused_with_its_path(calls: Any, path: str) -> None:
    chat = new_chat()
    with pytest.raises(CodecError) as caught:
        chat.assistant("", calls)
    assert (caught.value.path, chat.log.count()) == (path, 0)


@pytest.mark.parametrize(
    ("add", "path"),
    [
        (lambda chat: chat.user(1), "content"),
        (lambda chat: chat.user(None), "content"),
        (lambda chat: chat.assistant("\ud800"), "content"),
        (lambda chat: chat.tool("result", None), "toolCallId"),
        (lambda chat: chat.tool("result", ""), "toolCallId"),
        (lambda chat: chat.tool("result", 1), "toolCallId"),
        (lambda chat: chat.add_all([{"role": "tool", "content": "result"}]), "messages[0].toolCallId"),
        (lambda chat: chat.add_all([{"role": "narrator", "content": "x"}]), "messages[0].role"),
        (lambda chat: chat.add_all([AgentMessage("user", "x"), AgentMessage("narrator", "x")]), "messages[1].role"),
        (lambda chat: chat.add_all([AgentMessage("user", "x", origin="ghost")]), "messages[0].origin"),
        (lambda chat: chat.add_all(["text"]), "messages[0]"),
    ],
)
def test_what_is_no_message_is_refused_with_its_path(add: Callable[[Any], object], path: str) -> None:
    chat, seen = new_chat(), []
    chat.hook().message().do(seen.append)
    with pytest.raises(CodecError) as caught:
        add(chat)
    assert (caught.value.path, chat.log.count(), seen) == (path, 0, [])


def test_a_message_that_no_reply_could_carry_is_refused() -> None:
    chat = new_chat()
    with pytest.raises(MessageTooLargeError):
        chat.user("x" * 6_000_000)
    assert chat.log.count() == 0


def test_roles_and_origins_may_be_given_by_name() -> None:
    chat = new_chat()
    chat.add_all([AgentMessage(ChatRole.USER, "x", origin=Origin.HOOK)])  # type: ignore[arg-type]
    (message,) = chat.messages()
    assert (message.role, message.origin, type(message.role), type(message.origin)) == ("user", "hook", str, str)


def test_add_all_is_one_append() -> None:
    batches: list[int] = []

    class Storage(MemoryStorage):
        def append(self, messages: Any, **how: Any) -> Any:
            batches.append(len(messages))
            return super().append(messages, **how)

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
        chat.record([AgentMessage("user", "c"), AgentMessage("user", "d")])
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
    assert texts(chat.record(drained, chat.state.unstaging(staged))) == ["queued"]
    with pytest.raises(AlsoError):
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
