"""A send on DynamoDB: large texts, the items that stay, and requests that fail."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import chain, count, repeat
from typing import Any

import pytest
from messagelog import (
    MessageLogError,
    NotWrittenError,
    OnAppendError,
    SendRunningError,
    StorageUnavailableError,
    UnknownOutcomeError,
)
from messagelog.chat import Chat, ChatService
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.providers.openai import OpenAIProvider
from messagelog.dynamodb import DynamoDBStorage, default_client

from local.template import Template
from tests.support.chat_server import ChatServer, Echo, Refuse, Reply
from tests.support.chats import Weather, call, send_if_due
from tests.support.faulty import (
    Faulty,
    LostReply,
    LostRequest,
    Meanwhile,
    Ok,
    Outcome,
    Request,
    Unreachable,
    server_error,
    throttled,
)
from tests.support.tables import Table

LARGE = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz é漢\n", k=1_000_000))


class Talk:
    """A conversation on DynamoDB, as a new process finds it each time."""

    def __init__(self, table: Table, model: tuple[ChatServer, OpenAIProvider]) -> None:
        self.table = table
        self.chats = f"chats-{uuid.uuid4().hex}"
        self.server, self.provider = model

    def service(self) -> ChatService:
        client, retry = self.table.faulty.client, self.table.retry
        storage = DynamoDBStorage("c1", table=self.table.name, client=client, retry=retry)
        state = DynamoDBChatState("c1", table=self.chats, client=client, retry=retry, clock=self.table.clock)
        return ChatService(Chat(storage, state), self.provider)

    def other_state(self) -> DynamoDBChatState:
        """The chat's state in another process, whose requests do not fail."""
        return DynamoDBChatState("c1", table=self.chats, client=default_client(), clock=self.table.clock)

    def texts(self) -> list[str]:
        return [message.content for message in self.table.other().all()]

    def left(self) -> list[str]:
        """The entries of ChatTable."""
        items = default_client().scan(TableName=self.chats, ConsistentRead=True)["Items"]
        return sorted(item["entry"]["S"].partition("#")[0] for item in items)


@pytest.fixture
def talk(on_ministack: Table, template: Template, model: tuple[ChatServer, OpenAIProvider]) -> Iterator[Talk]:
    talk = Talk(on_ministack, model)
    default_client().create_table(**{**template.tables["ChatTable"], "TableName": talk.chats})
    model[0].forget()
    yield talk
    assert not model[0].steps_left


def test_a_prompt_tree_and_a_queue_over_400_kb_are_sent(talk: Talk) -> None:
    service = talk.service()
    service.chat().system().prompt("long").set_content(LARGE)
    queued = [LARGE if number % 30 == 7 else str(number) for number in range(60)]
    for content in queued:
        service.queue().user(content)
    talk.server.script(Reply("ok"))
    talk.service().send()
    assert talk.texts() == [*queued, "ok"]
    asked = talk.server.last_request["messages"]
    assert len(asked[0]["content"]) > len(LARGE)
    assert [message["content"] for message in asked[1:]] == queued
    service.chat().clear()
    assert talk.left() == ["state", "system"], "no message and no part of one is left"


def test_a_raising_hook_leaves_no_part_of_a_message(talk: Talk) -> None:
    service = talk.service()
    service.queue().user(LARGE)
    service.hook().message("user").do(lambda _: 1 / 0)
    talk.server.script(Reply("ok"))
    with pytest.raises(OnAppendError):
        service.send()
    assert talk.texts() == [LARGE, "ok"]
    assert talk.left() == ["state"]


def test_a_send_asks_dynamodb_for_little(talk: Talk) -> None:
    service = talk.service()
    talk.server.script(Reply("ok"))
    service.send("y")
    talk.table.faulty.forget()
    talk.server.script(Reply("ok"))
    service.send("y")
    writes = [name for name in talk.table.faulty.operations if name not in ("GetItem", "Query")]
    assert writes == ["TransactWriteItems"] * 5, "the lease taken, renewed and given back, and two appends"
    assert len(talk.table.faulty.operations) <= 13


def test_a_lease_that_is_renewed_while_another_takes_it_is_kept(talk: Talk) -> None:
    other = talk.other_state()
    lease = other.acquire("other", seconds=60)
    talk.table.clock.sleep(60)
    talk.table.faulty.script("TransactWriteItems", [Meanwhile(lambda: other.renew(lease, seconds=60))])
    with pytest.raises(SendRunningError):
        talk.service().chat().state.acquire("me", seconds=60)
    other.renew(lease, seconds=60)


@pytest.mark.parametrize("fault", [LostReply, LostRequest])
def test_a_lease_of_unknown_outcome_is_not_written(talk: Talk, fault: type[Outcome]) -> None:
    """Nothing was sent: the caller may send it again."""
    talk.table.faulty.script("TransactWriteItems", repeat(fault()))
    talk.table.faulty.script("GetItem", chain([Ok()], repeat(LostReply())))
    with pytest.raises(StorageUnavailableError, match="no send was started") as caught:
        talk.service().send("Hello!")
    assert caught.value.code


def test_an_unknown_enqueue_says_how_to_find_out(talk: Talk) -> None:
    talk.table.faulty.script("TransactWriteItems", repeat(LostReply()))
    talk.table.faulty.script("GetItem", repeat(LostReply()))
    with pytest.raises(UnknownOutcomeError, match="send without content") as caught:
        talk.service().queue().user("Hello!")
    assert caught.value.code


def outcomes(rng: random.Random) -> Any:
    """Decides each request: most are done, and some fail in one of many ways."""

    def choose(_: Request) -> Outcome:
        return rng.choice([Ok(), Ok(), Ok(), Ok(), LostReply(), Unreachable(), server_error(), throttled()])

    return choose


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost_or_doubled_whatever_fails(talk: Talk, seed: int) -> None:
    """Requests to DynamoDB and to the model fail at random. Each send is repeated until one succeeds."""
    rng, number = random.Random(seed), count()
    talk.table.faulty = Faulty(default_client(), outcomes(rng))
    queued: list[str] = []
    unknown: set[str] = set()
    for _ in range(3):
        talk.server.forget()
        talk.server.otherwise = Echo()
        for _ in range(rng.choice([1, 5, 45])):
            content = f"q{next(number)}"
            try:
                talk.service().queue().user(content)
            except UnknownOutcomeError:
                unknown.add(content)
            except NotWrittenError:
                continue
            queued.append(content)
        for _ in range(100):
            if rng.random() < 0.3:
                talk.server.script(Refuse(500))
            try:
                send_if_due(talk.service())
                break
            except MessageLogError:
                talk.table.clock.sleep(61)
    talk.server.forget()
    texts = talk.texts()
    found = [text for text in texts if text.startswith("q")]
    assert found == [text for text in queued if text not in unknown or text in found]
    assert [text for text in texts if text.startswith("re: ")] == [
        f"re: {texts[i - 1]}" for i in range(len(texts)) if texts[i].startswith("re: ")
    ]


@pytest.mark.parametrize("fault", [LostReply, LostRequest])
@pytest.mark.parametrize("lost", range(8))
def test_the_next_send_goes_on_after_unknown_writes(talk: Talk, lost: int, fault: type[Outcome]) -> None:
    """The send fails at any write, and the next send goes on, whether the write was done or not."""
    talk.service().queue().user("queued")
    weather, writes = Weather(), count()
    talk.service().tools().add(weather)

    def choose(request: Request) -> Outcome:
        return fault() if request.operation == "TransactWriteItems" and next(writes) >= lost else Ok()

    talk.table.faulty = Faulty(default_client(), choose)
    service = talk.service()
    service.tools().add(weather)
    talk.server.script(Reply(calls=[call("c1")]))
    talk.server.otherwise = Reply("ok")
    is_known = fault is LostReply and lost == 7  # the log finds the answer by the random bytes in its row
    with nullcontext() if is_known else pytest.raises((UnknownOutcomeError, StorageUnavailableError)):
        service.send()
    talk.server.forget()
    talk.server.otherwise = Reply("ok")
    talk.table.faulty = Faulty(default_client())
    talk.table.clock.sleep(61)
    again = talk.service()
    again.tools().add(weather)
    send_if_due(again)
    roles = [message.role for message in talk.table.other().all()]
    assert roles in (["user", "assistant"], ["user", "assistant", "tool", "assistant"])
    assert talk.texts()[0] == "queued"
