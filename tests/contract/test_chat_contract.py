"""What every chat state promises (`ChatState`) beside its log, as one class on each of them."""

from __future__ import annotations

import base64
import random
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messagelog import (
    AgentMessage,
    ExpectedCountError,
    LeaseLostError,
    PromptChangedError,
    SendRunningError,
    StoredMessage,
    ToolCall,
    TurnDoneError,
    codec,
)
from messagelog.chat import Chat, MessageQueue, Prompt
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.states.state import ChatState, Progress, System, Window
from messagelog.dynamodb import DynamoDBStorage, default_client
from messagelog.memory import MemoryStorage
from messagelog.storage import Append, ConditionFailedError

from local.dynamodb import connect
from local.template import Template
from tests.contract.conftest import PATIENT
from tests.support import strategies
from tests.support.clock import Clock

Open = Callable[[str], Chat]
SUMMARY = AgentMessage("user", "summary")


@pytest.fixture
def clock() -> Clock:
    clock = Clock()
    clock.now = 1_000.0
    return clock


@pytest.fixture(params=["memory", "moto", "ministack"])
def open_chat(request: pytest.FixtureRequest) -> Open:
    """`open_chat(conversation)`: its chat as a process finds it that knows nothing of it yet."""
    opener: Open = request.getfixturevalue(f"open_chat_on_{request.param}")
    return opener


@pytest.fixture
def open_chat_on_memory(clock: Clock) -> Open:
    logs: defaultdict[str, MemoryStorage] = defaultdict(MemoryStorage)
    states: defaultdict[str, MemoryChatState] = defaultdict(lambda: MemoryChatState(clock=clock))
    return lambda conversation: Chat(logs[conversation], states[conversation])


@pytest.fixture
def open_chat_on_moto(moto_table: Any, table_definition: dict[str, Any], template: Template, clock: Clock) -> Open:
    names = (table_definition["TableName"], f"chats-{uuid.uuid4().hex}")
    moto_table.create_table(**{**template.tables["ChatTable"], "TableName": names[1]})
    return lambda conversation: on_dynamodb(conversation, names, default_client(), clock)


@pytest.fixture
def open_chat_on_ministack(ministack: str, ministack_table: tuple[Any, str], template: Template, clock: Clock) -> Open:
    client, table = ministack_table
    names = (table, f"chats-{uuid.uuid4().hex}")
    client.create_table(**{**template.tables["ChatTable"], "TableName": names[1]})
    return lambda conversation: on_dynamodb(conversation, names, connect(ministack), clock)


def on_dynamodb(conversation: str, names: tuple[str, str], client: Any, clock: Clock) -> Chat:
    return Chat(
        DynamoDBStorage(conversation, table=names[0], client=client, retry=PATIENT),
        DynamoDBChatState(conversation, table=names[1], client=client, retry=PATIENT, clock=clock),
    )


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


def queued(state: ChatState, **how: Any) -> list[str]:
    return [staged.message.content for staged in state.staged(**{"limit": 1000, **how})]


def incompressible(length: int, seed: int) -> str:
    return base64.b85encode(random.Random(seed).randbytes(length)).decode()


def giving(*messages: AgentMessage) -> Any:
    return SimpleNamespace(apply=lambda old: messages)


def drain(chat: Chat, *also: Any, limit: int = 40) -> list[str]:
    """Takes the queue into the log as a send does."""
    drained = []
    while staged := chat.state.staged(limit=limit):
        drained += chat.record([each.message for each in staged], [*also, *chat.state.unstaging(staged)])
        chat.state.discard(staged)
    return texts(drained)


class TestChat:
    def test_a_conversation_that_nobody_wrote_to_is_empty(self, open_chat: Open) -> None:
        chat = open_chat("nobody")
        assert (chat.messages(), chat.historic_messages(), chat.get_system()) == ([], [], None)
        state = chat.state
        assert (state.window(), state.system(), state.is_running()) == (Window(), System(), False)
        assert (state.last_staged(), list(state.staged(limit=9))) == (None, [])

    def test_the_window_moves_for_every_process(self, open_chat: Open) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        one.user("a")
        other.handoff(giving(AgentMessage("user", "b"), AgentMessage("user", "c")))
        assert (texts(one.historic_messages()), texts(one.messages())) == (["a"], ["b", "c"])
        assert [message.seq for message in one.messages()] == [2, 3]
        one.handoff(giving())
        assert (texts(other.historic_messages()), texts(other.messages())) == (["a", "b", "c"], [])
        other.user("d")
        other.clear_messages()
        one.user("e")
        assert (one.historic_messages(), texts(other.messages())) == ([], ["e"])
        assert texts(one.log.all()) == ["a", "b", "c", "d", "e"]

    def test_clear_empties_the_tree_for_every_process(self, open_chat: Open) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        one.system().child("general").prompt("persona").set_content("You are a pirate.")
        persona = other.system().child("general").prompt("persona")
        one.clear()
        with pytest.raises(PromptChangedError):
            persona.set_content("You are a cook.")
        assert other.get_system() is None
        assert (one.prompt_store.version, other.prompt_store.version) == (2, 2)

    def test_a_handoff_that_a_message_came_into_changes_nothing(self, open_chat: Open) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        one.user("a")
        strategy = SimpleNamespace(apply=lambda old: other.user("b") and [AgentMessage("user", "summary of a")])
        with pytest.raises(ExpectedCountError):
            one.handoff(strategy)
        assert (texts(one.messages()), one.historic_messages()) == (["a", "b"], [])

    def test_the_tree_has_a_version_and_the_later_writer_is_told(self, open_chat: Open) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        one.system().add(Prompt("a", "1"))
        mine, theirs = one.system().prompt("a"), other.system().prompt("a")
        mine.set_content("2")
        with pytest.raises(PromptChangedError) as caught:
            theirs.set_content("3")
        assert caught.value.version == 2
        assert other.system().compose() == one.system().compose() == "a\n    2"
        theirs.set_content("3")
        assert one.system().compose() == "a\n    3"

    def test_the_version_of_the_state_is_checked(self, open_chat: Open) -> None:
        state = open_chat("c1").state
        assert state.put_system("one", version=0) == state.system() == System("one", 1)
        assert state.move(Window()) == 0
        for wrong in (0, 2):
            with pytest.raises(PromptChangedError) as caught:
                state.put_system("other", version=wrong)
            assert caught.value.version == 1
        assert state.move(Window(), system=System("cleared")) == 2
        assert state.system() == System("cleared", 2)

    def test_a_tree_far_over_the_size_of_an_item_is_stored_whole(self, open_chat: Open) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        for length in (3_700_000, 10, 900_000):  # more than ten parts, in their order, then others
            text = incompressible(length, length)
            one.system().child("general").prompt("long").set_content(text)
            assert other.system().child("general").prompt("long").content == text
        one.clear()
        assert other.get_system() is None

    def test_a_queue_keeps_order_and_is_read_in_parts(self, open_chat: Open) -> None:
        chat = open_chat("c1")
        for number in range(5):
            MessageQueue(chat.state).user(f"{number}")
        last = chat.state.last_staged()
        MessageQueue(chat.state).user("5")
        assert queued(chat.state) == ["0", "1", "2", "3", "4", "5"]
        assert queued(chat.state, limit=2) == ["0", "1"]
        assert queued(chat.state, up_to=last) == ["0", "1", "2", "3", "4"]

    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(messages=st.lists(strategies.messages, min_size=1, max_size=3))
    def test_what_is_queued_comes_out_exactly(self, open_chat: Open, messages: list[AgentMessage]) -> None:
        chat = open_chat("c1")
        for message in messages:
            chat.state.enqueue(message)
        staged = chat.state.staged(limit=9)
        stored = chat.log.store(
            Append(tuple(each.message for each in staged), conditions=tuple(chat.state.unstaging(staged)))
        ).seq
        assert repr([each.message for each in staged]) == repr(messages)
        assert [codec.parse(each) for each in chat.log.all(after=stored - len(messages))] == messages
        assert queued(chat.state) == []

    def test_a_queue_far_over_the_size_of_an_item_is_drained_whole(self, open_chat: Open) -> None:
        chat = open_chat("c1")
        queue = MessageQueue(chat.state)
        for number in range(95):
            queue.user(f"{number}")
        large = [incompressible(length, length) for length in (1_200_000, 800_000, 800_001)]
        for text in large:
            queue.user(text)
        assert drain(open_chat("c1")) == [*map(str, range(95)), *large]
        assert texts(chat.messages()) == [*map(str, range(95)), *large]
        assert queued(chat.state) == []

    def test_a_message_is_taken_out_of_the_queue_once(self, open_chat: Open) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        for text in ("a", "b", "c"):
            MessageQueue(one.state).user(text)
        both = one.state.staged(limit=9)
        first = other.state.staged(limit=1)
        other.record([each.message for each in first], other.state.unstaging(first))
        with pytest.raises(ConditionFailedError) as caught:
            one.record([each.message for each in both], one.state.unstaging(both))
        assert caught.value.place == 0
        assert (texts(one.messages()), queued(one.state)) == (["a"], ["b", "c"])

    def test_the_owner_of_what_is_passed_and_returned_is_the_caller(self, open_chat: Open) -> None:
        chat, args = open_chat("c1"), {"q": ["x"]}
        chat.hook().message().do(spoil)
        chat.state.enqueue(AgentMessage("assistant", "", tool_calls=(ToolCall("t1", "f", args),)))  # type: ignore[arg-type]
        chat.assistant("", [ToolCall("t1", "f", args)])  # type: ignore[arg-type]
        args["q"].append("LATER")
        for staged in chat.state.staged(limit=9):
            spoil(staged.message)
        drain(chat)
        for message in chat.messages():
            spoil(message)
        assert [message.tool_calls[0].args for message in chat.messages()] == [{"q": ["x"]}] * 2

    def test_one_holder_at_a_time_has_the_lease(self, open_chat: Open, clock: Clock) -> None:
        one, other = open_chat("c1").state, open_chat("c1").state
        lease = one.acquire("one", seconds=10)
        assert other.is_running()
        with pytest.raises(SendRunningError):
            other.acquire("other", seconds=10)
        again = one.acquire("one", seconds=10)
        assert again.fence > lease.fence
        clock.sleep(9)
        one.renew(again, seconds=10)
        clock.sleep(9)
        with pytest.raises(SendRunningError):
            other.acquire("other", seconds=10)
        one.release(again)
        assert not other.is_running()
        assert other.acquire("other", seconds=10).fence > again.fence

    def test_a_lease_runs_out_and_its_old_holder_can_do_nothing(self, open_chat: Open, clock: Clock) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        old = one.state.acquire("one", seconds=10)
        one.record([AgentMessage("user", "in time")], one.state.holding(old))
        clock.sleep(10)
        assert not one.state.is_running()
        new = other.state.acquire("other", seconds=10)
        with pytest.raises(ConditionFailedError) as caught:
            one.record([AgentMessage("user", "late")], one.state.holding(old))
        assert caught.value.place == 0
        with pytest.raises(LeaseLostError):
            one.state.renew(old, seconds=10)
        one.state.release(old)
        assert other.state.is_running()
        other.record([AgentMessage("user", "of the new one")], other.state.holding(new))
        assert texts(one.messages()) == ["in time", "of the new one"]

    def test_nothing_moves_the_window_while_a_send_runs(self, open_chat: Open, clock: Clock) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        one.user("a")
        one.system().add(Prompt("p", "text"))
        one.state.acquire("a send", seconds=10)
        strategy = giving(AgentMessage("user", "summary"))
        for refused in (other.clear, other.clear_messages, lambda: other.handoff(strategy)):
            with pytest.raises(SendRunningError):
                refused()
        with pytest.raises(ConditionFailedError):
            other.log.store(
                Append((AgentMessage("user", "summary"),), conditions=tuple(other.state.moving(Window(0, 1))))
            )
        assert (texts(other.messages()), other.system().has_content()) == (["a"], True)
        other.user("b")
        MessageQueue(other.state).user("c")
        clock.sleep(10)
        other.handoff(strategy)
        assert (texts(one.historic_messages()), texts(one.messages())) == (["a", "b"], ["summary"])

    @pytest.mark.parametrize("move", [Chat.clear, Chat.clear_messages, lambda chat: chat.handoff(giving())])
    def test_who_held_a_lease_before_a_clear_or_handoff_is_kept_out(
        self, open_chat: Open, clock: Clock, move: Callable[[Chat], None]
    ) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        old = one.state.acquire("one", seconds=10)
        clock.sleep(10)
        move(other)
        with pytest.raises(ConditionFailedError):
            one.record([AgentMessage("assistant", "late")], one.state.holding(old))
        with pytest.raises(LeaseLostError):
            one.state.renew(old, seconds=10)
        assert (one.messages(), other.state.is_running()) == ([], False)
        new = one.state.acquire("one", seconds=10)
        one.record([AgentMessage("assistant", "in time")], one.state.holding(new))

    def test_a_turn_is_open_until_a_release_says_that_it_is_done(self, open_chat: Open) -> None:
        one, other = open_chat("c1").state, open_chat("c1").state
        assert one.progress() == Progress(running=False, failed=False)
        one.acquire("one", seconds=10)
        first = other.acquire("a worker", seconds=10, turn="one")
        with pytest.raises(SendRunningError):  # the first may be dead: try again later
            one.acquire("another worker", seconds=10, turn="one")
        assert one.progress() == Progress(running=True, failed=False)
        other.release(first)
        assert one.progress() == Progress(running=False, failed=True)
        again = one.acquire("another worker", seconds=10, turn="one")
        one.release(again, done=True)
        assert other.progress() == Progress(running=False, failed=False)
        with pytest.raises(TurnDoneError):
            other.acquire("a worker", seconds=10, turn="one")
        assert not other.is_running()

    @pytest.mark.parametrize("turn", [None, "one"])
    def test_a_turn_whose_place_another_took_is_open_no_more(self, open_chat: Open, turn: str | None) -> None:
        one, other = open_chat("c1").state, open_chat("c1").state
        one.release(one.acquire("one", seconds=10, turn=turn))
        lease = other.acquire("other", seconds=10, turn="other")
        for _ in range(2):
            with pytest.raises(TurnDoneError):
                one.acquire("a worker", seconds=10, turn="one")
            other.release(lease, done=True)

    @pytest.mark.parametrize("end", ["given back", "run out"])
    def test_a_lease_with_which_no_turn_begins_leaves_open_what_is(
        self, open_chat: Open, clock: Clock, end: str
    ) -> None:
        one, other = open_chat("c1").state, open_chat("c1").state
        one.release(one.acquire("one", seconds=10, turn="one"))
        lease = other.acquire("other", seconds=10)
        with pytest.raises(SendRunningError):  # the other may come no further: try again later
            one.acquire("a worker", seconds=10, turn="one")
        if end == "given back":
            other.release(lease)
        else:
            clock.sleep(10)
        assert other.progress() == Progress(running=False, failed=True)
        one.release(one.acquire("a worker", seconds=10, turn="one"), done=True)
        with pytest.raises(TurnDoneError):
            other.acquire("another worker", seconds=10, turn="other")
        assert other.progress() == Progress(running=False, failed=False)

    def test_a_turn_that_is_late_to_begin_takes_the_place_of_the_open_one(self, open_chat: Open, clock: Clock) -> None:
        one, other = open_chat("c1").state, open_chat("c1").state
        one.release(one.acquire("one", seconds=10, turn="one"))
        other.acquire("other", seconds=10)
        clock.sleep(10)
        other.release(other.acquire("a worker", seconds=10, turn="other"))
        with pytest.raises(TurnDoneError):
            one.acquire("another worker", seconds=10, turn="one")

    def test_a_turn_that_waits_too_long_for_its_worker_stays_open_if_the_next_does_not_begin(
        self, open_chat: Open, clock: Clock
    ) -> None:
        one, other = open_chat("c1").state, open_chat("c1").state
        one.acquire("one", seconds=10)
        clock.sleep(10)
        other.release(other.acquire("other", seconds=10))
        assert one.progress() == Progress(running=False, failed=True)
        one.release(one.acquire("a worker", seconds=10, turn="one"), done=True)
        assert one.progress() == Progress(running=False, failed=False)

    def test_a_lease_that_was_given_back_before_its_turn_is_no_failure(self, open_chat: Open) -> None:
        state = open_chat("c1").state
        state.release(state.acquire("one", seconds=10))
        assert state.progress() == Progress(running=False, failed=False)

    def test_a_turn_that_waits_too_long_for_its_worker_is_shown_as_failed(self, open_chat: Open, clock: Clock) -> None:
        state = open_chat("c1").state
        state.acquire("one", seconds=10)
        clock.sleep(10)
        assert state.progress() == Progress(running=False, failed=True)

    @pytest.mark.parametrize(
        "move",
        [
            Chat.clear,
            Chat.clear_messages,
            *(lambda chat, new=new: chat.handoff(giving(*new)) for new in ([], [SUMMARY])),
        ],
        ids=["clear", "clear_messages", "handoff", "handoff to a message"],
    )
    def test_a_turn_that_broke_off_is_over_when_the_window_moves(
        self, open_chat: Open, clock: Clock, move: Callable[[Chat], None]
    ) -> None:
        chat = open_chat("c1")
        chat.user("a")
        chat.state.release(chat.state.acquire("one", seconds=10, turn="one"))
        chat.state.acquire("other", seconds=10)
        clock.sleep(10)
        move(chat)
        assert chat.state.progress() == Progress(running=False, failed=False)
        with pytest.raises(TurnDoneError):
            chat.state.acquire("a worker", seconds=10, turn="one")
        assert chat.state.acquire("a worker", seconds=10, turn="other"), "its queue is still there"

    def test_a_release_that_comes_too_late_ends_no_other_turn(self, open_chat: Open, clock: Clock) -> None:
        one, other = open_chat("c1").state, open_chat("c1").state
        old = one.acquire("one", seconds=10)
        clock.sleep(10)
        other.acquire("other", seconds=10)
        one.release(old, done=True)
        clock.sleep(10)
        assert other.progress() == Progress(running=False, failed=True)

    def test_a_lease_that_was_released_does_not_come_back(self, open_chat: Open) -> None:
        state = open_chat("c1").state
        lease = state.acquire("one", seconds=10)
        state.release(lease)
        with pytest.raises(LeaseLostError):
            state.renew(lease, seconds=10)
        assert not state.is_running()

    @pytest.mark.parametrize("result", [[], [AgentMessage("user", "summary of a")]])
    @pytest.mark.parametrize("before", [0, 1])
    def test_a_handoff_undoes_no_clear_that_came_in_between(
        self, open_chat: Open, before: int, result: list[AgentMessage]
    ) -> None:
        one, other = open_chat("c1"), open_chat("c1")
        for _ in range(before):
            one.user("before")
            one.handoff(giving())
        one.user("a")

        def apply(old: list[StoredMessage]) -> list[AgentMessage]:
            other.clear_messages()
            return result

        with pytest.raises(SendRunningError):
            one.handoff(SimpleNamespace(apply=apply))
        assert (one.messages(), one.historic_messages(), one.log.count()) == ([], [], before + 1)

    def test_a_chat_that_was_cleared_while_empty_can_be_handed_off(self, open_chat: Open) -> None:
        chat = open_chat("c1")
        chat.clear()
        chat.handoff(giving())
        chat.user("a")
        chat.handoff(giving(AgentMessage("user", "b")))
        chat.handoff(giving())
        assert (texts(chat.historic_messages()), chat.messages()) == (["a", "b"], [])

    def test_conversations_are_apart(self, open_chat: Open) -> None:
        one, other = open_chat("a"), open_chat("b")
        one.user("x")
        one.system().add(Prompt("p", "text"))
        MessageQueue(one.state).user("y")
        one.state.acquire("a send", seconds=10)
        assert (other.messages(), other.get_system(), queued(other.state)) == ([], None, [])
        other.clear()
        other.state.acquire("another", seconds=10)
        assert texts(one.messages()) == ["x"]

    @pytest.mark.parametrize("open_chat", ["memory", "ministack"], indirect=True)  # moto is not made for threads
    def test_many_producers_and_two_that_drain_lose_and_double_nothing(self, open_chat: Open) -> None:
        produced = threading.Event()

        def produce(name: str) -> None:
            queue = MessageQueue(open_chat("c1").state)
            for number in range(10):
                queue.user(f"{name} {number}")

        def take() -> None:
            chat = open_chat("c1")
            while not produced.is_set() or chat.state.last_staged():
                with suppress(ConditionFailedError):
                    drain(chat, limit=7)

        with ThreadPoolExecutor(6) as threads:
            takers = [threads.submit(take) for _ in range(2)]
            try:
                list(threads.map(produce, "abcd"))
            finally:
                produced.set()
            for taker in takers:
                taker.result()
        found = texts(open_chat("c1").messages())
        assert sorted(found) == [f"{name} {number}" for name in "abcd" for number in range(10)]
        for name in "abcd":
            mine = [text for text in found if text.startswith(name)]
            assert mine == sorted(mine)


def spoil(message: AgentMessage) -> None:
    """Changes what is inside the message's args."""
    args: Any = message.tool_calls[0].args
    args["q"].append("HACK")
