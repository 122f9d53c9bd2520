"""No request ends with the assistant, and none is empty: a short user turn ends it, which the log does not hold."""

from __future__ import annotations

import pytest
from messagelog.chat.sending.request import BEGIN, CONTINUE

from tests.support.chat_server import Reply
from tests.support.chats import Talk, Weather, call


def test_a_send_after_an_answer_says_continue(talk: Talk) -> None:
    talk.server.script(Reply("Ahoy!"), Reply("Aye."))
    service = talk.service()
    service.send("Hello!")
    service.send()
    assert talk.asked() == [("user", "Hello!"), ("assistant", "Ahoy!"), ("user", CONTINUE)]
    assert talk.said() == [("user", "Hello!"), ("assistant", "Ahoy!"), ("assistant", "Aye.")]


def test_a_queued_resend_without_a_message_says_continue(talk: Talk) -> None:
    service = talk.service()
    service.hook().message("assistant").max_triggers(1).do(lambda _: service.queue_resend())
    talk.server.script(Reply("Ahoy!"), Reply("Aye."))
    service.send("Hello!")
    assert talk.asked()[-1] == ("user", CONTINUE)


@pytest.mark.parametrize("prompt", ["", "You are a pirate."])
def test_an_empty_chat_says_begin(talk: Talk, prompt: str) -> None:
    service = talk.service(system_prompt=prompt)
    service.chat().user("earlier")
    service.chat().clear_messages()
    talk.server.script(Reply("Ahoy!"))
    service.send()
    assert [turn for turn in talk.asked() if turn[0] != "system"] == [("user", BEGIN)]
    assert [message.content for message in service.chat().messages()] == ["Ahoy!"]


def test_a_window_of_reasoning_says_begin(talk: Talk) -> None:
    service = talk.service()
    service.chat().reasoning("Hm.")
    talk.server.script(Reply("Ahoy!"))
    service.send()
    assert talk.asked() == [("user", BEGIN)]


def test_a_second_result_of_an_earlier_call_is_not_the_end(talk: Talk) -> None:
    """The view moves it up to its call, so that the assistant's text is last."""
    service = talk.service()
    service.tools().add(Weather())
    talk.server.script(Reply(calls=[call("a")]), Reply("Mild."), Reply("Well?"))
    service.send("Hello!")
    service.chat().tool("23 by now", "a")
    service.send()
    assert talk.asked()[-2:] == [("assistant", "Mild."), ("user", CONTINUE)]


def test_a_request_that_ends_with_the_user_stays_as_it_is(talk: Talk) -> None:
    service = talk.service()
    service.tools().add(Weather())
    talk.server.script(Reply(calls=[call("a")]), Reply("Mild."))
    service.send("Hello!")
    assert [turns[-1] for turns in (talk.asked(0), talk.asked(1))] == [("user", "Hello!"), ("tool", "22 in Berlin")]
