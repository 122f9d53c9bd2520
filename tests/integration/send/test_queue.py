"""The queue in a send: drained at its start, each message once and in order. Later messages wait for the next send."""

from __future__ import annotations

import random

import pytest
from messagelog import OnAppendError, StorageUnavailableError, StoredMessage
from messagelog.memory import MemoryStorage
from messagelog.storage import Append, Appended

from tests.support.chat_server import Reply
from tests.support.chats import Talk, send_if_due


def contents(talk: Talk) -> list[str]:
    return [content for _, content in talk.said()]


def test_the_queue_is_drained_before_the_content(talk: Talk) -> None:
    service = talk.service()
    queue = service.queue()
    queue.user("q1")
    queue.assistant("q2")
    queue.reasoning("q3")
    queue.tool("q4", "c1")
    talk.server.script(Reply("r"))
    service.send("u")
    assert talk.said() == [
        ("user", "q1"),
        ("assistant", "q2"),
        ("reasoning", "q3"),
        ("tool", "q4"),
        ("user", "u"),
        ("assistant", "r"),
    ]


def test_messages_queued_during_a_send_wait_for_the_next(talk: Talk) -> None:
    service = talk.service()
    service.queue().user("s1")
    talk.server.script(Reply("r1", before_end=lambda: talk.service().queue().user("s2")), Reply("r2"), Reply("r3"))
    for number in (1, 2, 3):
        service.send(f"u{number}")
    assert contents(talk) == ["s1", "u1", "r1", "s2", "u2", "r2", "u3", "r3"]
    sent = [[message["content"] for message in request["messages"]] for request in talk.server.requests]
    assert [texts.count("s2") for texts in sent] == [0, 1, 1]


def test_messages_queued_by_hooks_wait_for_the_next_send(talk: Talk) -> None:
    service = talk.service()
    service.queue().user("s1")
    service.chat().hook().message("user").max_triggers(1).do(lambda _: service.queue().user("s2"))
    talk.server.script(Reply("r1"), Reply("r2"))
    service.send()
    assert contents(talk) == ["s1", "r1"]
    service.send()
    assert contents(talk) == ["s1", "r1", "s2", "r2"]


@pytest.mark.parametrize("length", [1, 39, 40, 41, 80, 100])
def test_a_queue_of_any_length_is_drained_in_order(talk: Talk, length: int) -> None:
    service = talk.service()
    for number in range(length):
        service.queue().user(str(number))
    talk.server.script(Reply("r"))
    service.send()
    assert contents(talk) == [*map(str, range(length)), "r"]
    assert talk.state.last_staged() is None


def test_a_long_queue_goes_in_with_few_appends(talk: Talk) -> None:
    talk.storage = Counted()
    service = talk.service()
    for number in range(100):
        service.queue().user(str(number))
    talk.server.script(Reply("r"))
    service.send()
    assert talk.storage.sizes == [40, 40, 20, 1]


def test_hooks_are_called_when_a_message_is_drained(talk: Talk) -> None:
    service = talk.service()
    seen: list[StoredMessage] = []
    service.chat().hook().message().do(seen.append)
    service.queue().user("q")
    assert not seen
    talk.server.script(Reply("r"))
    service.send()
    assert seen == talk.log()


def test_a_message_keeps_the_time_when_it_was_queued(talk: Talk) -> None:
    service = talk.service()
    service.queue().user("q")
    service.chat().user("added later")
    talk.server.script(Reply("r"))
    service.send()
    added, queued, _ = talk.log()
    assert queued.created_at
    assert added.created_at
    assert queued.created_at < added.created_at


@pytest.mark.parametrize("seed", range(8))
def test_failing_sends_lose_and_double_nothing(talk: Talk, seed: int) -> None:
    """About every second append fails. Sends are repeated until the queue is empty."""
    rng = random.Random(seed)
    talk.storage = Unreliable(rng)
    talk.server.otherwise = Reply("r")
    queued = 0
    for _ in range(4):
        service = talk.service()
        for _ in range(rng.choice([1, 39, 45, 90])):
            service.queue().user(f"q{queued}")
            queued += 1
        for _ in range(100):
            try:
                send_if_due(talk.service())
                break
            except StorageUnavailableError:
                assert not talk.state.is_running()
    texts = contents(talk)
    assert [text for text in texts if text != "r"] == [f"q{number}" for number in range(queued)]
    assert texts.count("r") == 4
    assert texts[-1] == "r"


def test_a_raising_hook_keeps_nothing_out_of_the_log(talk: Talk) -> None:
    """Neither the rest of the queue nor the user's message after it."""
    service = talk.service()
    for number in range(50):
        service.queue().user(str(number))
    service.chat().hook().message("user").regex("^3$").do(fail)
    talk.server.script(Reply("r"))
    with pytest.raises(OnAppendError):
        service.send("u")
    assert contents(talk) == [*map(str, range(50)), "u", "r"]


def fail(_: object) -> None:
    raise RuntimeError("the hook's own fault")


class Counted(MemoryStorage):
    """Counts the messages of each append."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def append(self, append: Append) -> Appended:
        self.sizes.append(len(append.messages))
        return super().append(append)


class Unreliable(MemoryStorage):
    """Fails now and then, and writes nothing in this case."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.rng = rng

    def append(self, append: Append) -> Appended:
        if self.rng.random() < 0.5:
            raise StorageUnavailableError("made up for a test")
        return super().append(append)
