"""Interrupting a send, and having it ask again."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from messagelog import OnAppendError, StoredMessage
from messagelog.chat import ChatService
from messagelog.chat.providers import ContentDelta

from tests.support.chat_server import Reply, Silent
from tests.support.chats import Talk, Weather, call, said


def test_the_stream_comes_to_hooks_as_it_is_read(talk: Talk) -> None:
    service = talk.service()
    kinds: list[str] = []
    texts: list[str] = []
    service.hook().stream().do(lambda event: kinds.append(event.kind))
    service.hook().stream("content").do(lambda event: texts.append(event.text))
    service.hook().message("assistant").do(lambda message: texts.append(message.content))
    talk.server.script(Reply("Ahoy!", thinking="Hm."))
    service.send("y")
    assert kinds == ["reasoning", "reasoning", "content", "content", "finish"]
    assert texts == ["Ah", "oy!", "Ahoy!"]


def test_an_interrupt_ends_the_request_and_its_reply_is_dropped(talk: Talk) -> None:
    service = talk.service()
    service.hook().stream("content").do(lambda _: service.interrupt())
    talk.server.script(Reply("Ahoy!"))
    assert said(service.send("y")) == [("user", "y")]
    assert talk.said() == [("user", "y")]
    assert not talk.state.is_running()


def test_an_interrupt_waits_for_nothing_more(talk: Talk) -> None:
    talk.provider = talk.server.provider(timeout=30)
    service = talk.service()
    service.hook().stream("content").regex("oy!").do(lambda _: service.interrupt())
    talk.server.script(Silent("Ahoy!"))
    assert said(service.send("y")) == [("user", "y")]


def test_the_request_is_ended_not_only_left_alone(talk: Talk) -> None:
    provider = Endless()
    service = ChatService(talk.chat(), provider)
    service.hook().stream("content").do(lambda _: service.interrupt())
    service.send("y")
    assert provider.ended


def test_a_hook_that_raises_and_interrupts_is_heard(talk: Talk) -> None:
    service = talk.service()

    def fail(_: object) -> None:
        service.interrupt()
        raise RuntimeError("the hook's own fault")

    service.hook().stream("content").do(fail)
    talk.server.script(Reply("Ahoy!"))
    with pytest.raises(OnAppendError) as caught:
        service.send("y")
    assert str(caught.value.__cause__) == "the hook's own fault"
    assert talk.said() == [("user", "y")]


class Endless:
    """A model that never stops, and tells whether it was made to."""

    def __init__(self) -> None:
        self.ended = False

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        return []

    def stream(self, *_: object) -> Iterator[ContentDelta]:
        self.kept = self._words()  # so that nothing but closing ends it
        return self.kept

    def _words(self) -> Iterator[ContentDelta]:
        try:
            while True:
                yield ContentDelta("and ")
        finally:
            self.ended = True


def test_from_another_thread(talk: Talk) -> None:
    service = talk.service()
    speaking, interrupted = threading.Event(), threading.Event()
    service.hook().stream("content").do(lambda _: speaking.set())
    talk.server.script(Reply("Ahoy!", before_end=lambda: interrupted.wait(60)))
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(service.send, "y")
        assert speaking.wait(60)
        service.interrupt()
        interrupted.set()
        assert said(sending.result()) == [("user", "y")]


def test_with_resend_the_model_is_asked_again(talk: Talk) -> None:
    """With what was queued meanwhile: that is what one interrupts for."""
    service = talk.service()

    def change_course(_: object) -> None:
        service.queue().user("No, wait!")
        service.interrupt(resend=True)

    service.hook().stream("content").max_triggers(1).do(change_course)
    talk.server.script(Reply("Ahoy!"), Reply("Aye."))
    assert said(service.send("y")) == [("user", "y"), ("user", "No, wait!"), ("assistant", "Aye.")]
    assert talk.asked(0) == [("user", "y")]
    assert talk.asked(1) == [("user", "y"), ("user", "No, wait!")]


def test_at_the_end_of_a_reply_it_is_dropped_as_well(talk: Talk) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    service.hook().stream("finish").do(lambda _: service.interrupt())
    talk.server.script(Reply("Ahoy!", calls=[call("c1")]))
    assert said(service.send("y")) == [("user", "y")]
    assert not weather.runs


def test_before_a_tool_that_is_not_run_then(talk: Talk) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    service.hook().tool().before().max_triggers(1).do(lambda _: service.interrupt())
    talk.server.script(Reply("Ahoy!", calls=[call("a"), call("b")]))
    assert said(service.send("y")) == [("user", "y"), ("assistant", "Ahoy!")]
    assert not weather.runs
    talk.server.script(Reply("ok"))
    service.send()
    assert len(weather.runs) == 2, "the next send goes on with the calls"


def test_an_interrupt_ends_a_turn_that_was_to_ask_again(talk: Talk) -> None:
    service = talk.service()
    service.hook().stream("content").max_triggers(1).do(lambda _: service.queue_resend())
    service.hook().stream("content").regex("oy!").do(lambda _: service.interrupt())
    talk.server.script(Reply("Ahoy!"))
    assert said(service.send("y")) == [("user", "y")]


def test_between_two_tools(talk: Talk) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    service.hook().tool().after().max_triggers(1).do(lambda _: service.interrupt())
    talk.server.script(Reply(calls=[call("a"), call("b")]))
    service.send("y")
    assert [role for role, _ in talk.said()] == ["user", "assistant", "tool"]
    assert len(weather.runs) == 1


def test_an_interrupt_without_a_send_does_nothing(talk: Talk) -> None:
    service = talk.service()
    service.interrupt(resend=True)
    service.queue_resend()
    talk.server.script(Reply("Ahoy!"))
    assert said(service.send("y")) == [("user", "y"), ("assistant", "Ahoy!")]


def test_an_interrupt_is_over_with_its_send(talk: Talk) -> None:
    service = talk.service()
    service.hook().stream("content").max_triggers(1).do(lambda _: service.interrupt())
    talk.server.script(Reply("Ahoy!"), Reply("Aye."))
    service.send("y")
    assert said(service.send()) == [("assistant", "Aye.")]


def test_a_queued_resend_waits_until_the_model_has_stopped(talk: Talk) -> None:
    service = talk.service()

    def doubt(_: StoredMessage) -> None:
        service.queue().user("Are you sure?")
        service.queue_resend()

    service.hook().message("assistant").max_triggers(1).do(doubt)
    talk.server.script(Reply("Ahoy!"), Reply("Aye."))
    service.send("y")
    assert talk.said() == [("user", "y"), ("assistant", "Ahoy!"), ("user", "Are you sure?"), ("assistant", "Aye.")]


def test_a_hook_that_always_asks_again_comes_to_an_end(talk: Talk) -> None:
    service = talk.service(max_tool_call_rounds=0)
    service.hook().message("assistant").do(lambda _: service.queue_resend())
    talk.server.script(*[Reply("Ahoy!")] * 11)
    service.send("y")
    assert len(talk.log()) == 12


def test_json_hooks_interrupt_queue_and_ask_again(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "course.json").write_text(
        '{"target": "stream", "event": "content", "maxTriggers": 1, "actions": ['
        '{"type": "queue-message", "role": "user", "content": "You said {{content}}."},'
        '{"type": "interrupt", "resend": true}]}'
    )
    service = talk.service(hooks_dir=tmp_path)
    talk.server.script(Reply("Ahoy!"), Reply("Aye."))
    service.send("y")
    assert talk.said() == [("user", "y"), ("user", "You said Ah."), ("assistant", "Aye.")]
    assert talk.log()[1].origin == "hook"
