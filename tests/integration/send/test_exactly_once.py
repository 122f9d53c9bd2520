"""A chat transaction whose reply was lost is done once, although DynamoDB has forgotten its token.

Each first transaction of an operation is done and not answered, or not done; then the process sleeps for longer than a
token lives, and `meanwhile` something happens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError
from messagelog import (
    AgentMessage,
    LeaseLostError,
    MessageLogError,
    PromptChangedError,
    SendRunningError,
    StorageUnavailableError,
    UnknownOutcomeError,
)
from messagelog.chat import Chat
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.states.state import System, Window
from messagelog.dynamodb import DynamoDBStorage, Retry

from tests.support.chat_states import drain, queued
from tests.support.clock import Clock
from tests.support.fake_dynamodb import TOKEN_SECONDS, FakeDynamoDB, Tables

HELLO = AgentMessage("user", "Hello!")
LARGE = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz é漢\n", k=900_000))


@dataclass
class Forgetful:
    """A chat whose next transaction gets no reply, and whose token is forgotten before the next try."""

    tables: Tables = field(default_factory=Tables)
    loses: str = ""
    meanwhile: Callable[[], object] = lambda: None
    is_blind: bool = False

    def __post_init__(self) -> None:
        clock = Clock()
        client: Any = FakeDynamoDB(self.tables, self._deliver)
        retry = Retry(clock=clock, sleep=clock.sleep, random=lambda: 0.5)
        self.state = DynamoDBChatState("c1", table="chats", client=client, retry=retry)

    def other(self) -> Chat:
        """The chat in another process, which loses nothing."""
        client: Any = FakeDynamoDB(self.tables)
        storage = DynamoDBStorage("c1", table="messages", client=client)
        return Chat(storage, DynamoDBChatState("c1", table="chats", client=client))

    def item(self, entry: str = "state") -> dict[str, Any]:
        """An item as it is stored."""
        return self.tables.partitions["chats", "c1"].get(entry, {})

    def _deliver(self, operation: str, request: Mapping[str, Any], do: Callable[[], Any]) -> Any:
        if operation == "GetItem" and self.is_blind:
            raise ConnectionClosedError(endpoint_url="http://dynamodb")
        if operation != "TransactWriteItems" or not self.loses:
            return do()
        if self.loses == "reply":
            do()
        self.loses = ""
        self.tables.now += TOKEN_SECONDS + 1
        self.meanwhile()
        raise ConnectionClosedError(endpoint_url="http://dynamodb")


@pytest.fixture
def chat() -> Forgetful:
    return Forgetful()


def loses(chat: Forgetful, what: str, meanwhile: Callable[[], object] = lambda: None) -> DynamoDBChatState:
    """The state that loses its next request or reply."""
    chat.loses, chat.meanwhile = what, meanwhile
    return chat.state


class TestEnqueue:
    @pytest.mark.parametrize("what", ["request", "reply"])
    def test_a_message_is_queued_once(self, chat: Forgetful, what: str) -> None:
        loses(chat, what).enqueue(HELLO)
        assert queued(chat.state) == ["Hello!"]

    @pytest.mark.parametrize("lease", [False, True])
    def test_a_message_that_was_drained_is_not_queued_again(self, chat: Forgetful, lease: bool) -> None:
        other = chat.other()

        def take() -> None:
            if not lease:
                drain(other)
                return
            staged = other.state.staged(limit=9)
            held = other.state.acquire("other", seconds=60)
            other.record([each.message for each in staged], other.state.unstaging(staged, held))

        with pytest.raises(UnknownOutcomeError, match="send without content") as caught:
            loses(chat, "reply", take).enqueue(HELLO)
        assert caught.value.code
        assert ([message.content for message in other.messages()], queued(chat.state)) == (["Hello!"], [])

    def test_a_drain_of_earlier_messages_does_not_stop_an_enqueue(self, chat: Forgetful) -> None:
        chat.state.enqueue(AgentMessage("user", "earlier"))
        other = chat.other()
        loses(chat, "request", lambda: drain(other)).enqueue(HELLO)
        assert queued(chat.state) == ["Hello!"]

    def test_its_entry_comes_after_one_of_a_host_a_day_ahead(self, chat: Forgetful) -> None:
        """Version 0.1.0 named entries by the time of a host."""
        ahead = f"queue#{int((chat.tables.now + 86_400) * 1e6):016d}#0123456789ab"
        chat.state.enqueue(AgentMessage("user", "first"))
        (first,) = chat.state.staged(limit=1)
        key = {"conversation": {"S": "c1"}, "entry": {"S": ahead}}
        chat.tables.set("chats", key, {**first.stored, **key})
        chat.state.enqueue(HELLO)
        assert queued(chat.state) == ["first", "first", "Hello!"]
        drain(chat.other())
        assert queued(chat.state) == []


class TestPromptTree:
    @pytest.mark.parametrize("what", ["request", "reply"])
    @pytest.mark.parametrize("tree", ["{}", LARGE], ids=["small", "large"])
    def test_a_tree_is_put_once_and_its_parts_stay(self, chat: Forgetful, what: str, tree: str) -> None:
        chat.state.put_system("old", version=0)
        assert loses(chat, what).put_system(tree, version=1) == chat.state.system() == System(tree, 2)

    def test_a_tree_that_lost_to_another_writer_is_refused(self, chat: Forgetful) -> None:
        other = chat.other().state
        with pytest.raises(PromptChangedError) as caught:
            loses(chat, "request", lambda: other.put_system(LARGE, version=0)).put_system("mine", version=0)
        assert (caught.value.version, other.system()) == (1, System(LARGE, 1))

    def test_a_tree_that_was_replaced_since_is_unknown(self, chat: Forgetful) -> None:
        other = chat.other().state
        with pytest.raises(UnknownOutcomeError):
            loses(chat, "reply", lambda: other.put_system("theirs", version=1)).put_system(LARGE, version=0)
        assert other.system() == System("theirs", 2)


class TestLease:
    @pytest.mark.parametrize("what", ["request", "reply"])
    def test_a_lease_is_taken_once(self, chat: Forgetful, what: str) -> None:
        lease = loses(chat, what).acquire("me", seconds=3600)
        assert (lease.fence, chat.item()["holder"]) == (1, {"S": "me"})
        chat.state.renew(lease, seconds=60)

    def test_a_lease_that_another_took_meanwhile_is_refused(self, chat: Forgetful) -> None:
        other = chat.other().state
        with pytest.raises(SendRunningError):
            loses(chat, "request", lambda: other.acquire("other", seconds=60)).acquire("me", seconds=60)

    def test_a_lease_that_another_may_have_passed_is_not_taken(self, chat: Forgetful) -> None:
        other = chat.other().state

        def twice() -> None:
            for holder in ("b", "c"):
                other.release(other.acquire(holder, seconds=60))

        with pytest.raises(StorageUnavailableError, match="no send was started"):
            loses(chat, "reply", twice).acquire("me", seconds=60)

    @pytest.mark.parametrize("what", ["request", "reply"])
    def test_a_renewal_and_a_release_are_done(self, chat: Forgetful, what: str) -> None:
        lease = chat.state.acquire("me", seconds=60)
        loses(chat, what).renew(lease, seconds=3600)
        assert chat.state.is_running()
        loses(chat, what).release(lease, done=True)
        assert not chat.state.is_running()

    @pytest.mark.parametrize("what", ["request", "reply"])
    def test_a_renewal_of_a_lost_lease_says_so(self, chat: Forgetful, what: str) -> None:
        other, lease = chat.other().state, chat.state.acquire("me", seconds=60)
        with pytest.raises(LeaseLostError):
            loses(chat, what, lambda: other.acquire("other", seconds=60)).renew(lease, seconds=60)


class TestMove:
    @pytest.mark.parametrize("what", ["request", "reply"])
    @pytest.mark.parametrize("system", [None, System(LARGE)], ids=["window", "tree"])
    def test_a_window_moves_once(self, chat: Forgetful, what: str, system: System | None) -> None:
        chat.state.put_system("old", version=0)
        version = loses(chat, what).move(Window(3, 3), system=system, seen=Window())
        assert (chat.state.window(), chat.item()["fence"]) == (Window(3, 3), {"N": "1"})
        assert (version, chat.state.system()) == ((2, System(LARGE, 2)) if system else (0, System("old", 1)))

    @pytest.mark.parametrize(("what", "error"), [("request", SendRunningError), ("reply", None)])
    def test_a_send_that_began_meanwhile_hides_nothing(
        self, chat: Forgetful, what: str, error: type[MessageLogError] | None
    ) -> None:
        other = chat.other().state
        state = loses(chat, what, lambda: other.acquire("other", seconds=60))
        if error is None:
            state.move(Window(3, 3), seen=Window())
        else:
            with pytest.raises(error):
                state.move(Window(3, 3), seen=Window())
        assert other.window() == (Window(3, 3) if what == "reply" else Window())

    def test_a_tree_that_was_changed_meanwhile_is_cleared_too(self, chat: Forgetful) -> None:
        other = chat.other().state
        state = loses(chat, "request", lambda: other.put_system("theirs", version=0))
        assert state.move(Window(3, 3), system=System("{}")) == 2
        assert other.system() == System("{}", 2)


def test_an_outcome_that_nothing_tells_is_unknown(chat: Forgetful) -> None:
    def go_blind() -> None:
        chat.is_blind = True

    with pytest.raises(UnknownOutcomeError):
        loses(chat, "reply", go_blind).put_system("{}", version=0)
    chat.is_blind = False
    assert chat.state.system() == System("{}", 1)
