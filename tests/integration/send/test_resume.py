"""A turn that was begun under a name, and that may be resumed again and again."""

from __future__ import annotations

import pytest
from messagelog import OnAppendError, ProviderError, SendRunningError, TurnDoneError

from tests.support.chat_server import Refuse, Reply
from tests.support.chats import Talk, Weather, call, said, send_if_due

ANSWERED = [("user", "Hello!"), ("assistant", "Ahoy!")]


class TestResume:
    """A turn that was begun under a name, by who may deliver it again and again."""

    def test_it_is_done_once(self, talk: Talk) -> None:
        service, weather = talk.service(max_tool_call_rounds=1), Weather()
        service.tools().add(weather)
        service.queue().user("u")
        talk.state.acquire("me", seconds=60)
        with pytest.raises(TurnDoneError):
            talk.service().resume("you")
        with pytest.raises(SendRunningError):
            talk.service().send("u")
        talk.server.script(*[Reply(calls=[call("a")])] * 2)
        assert service.resume("me") == talk.log()
        assert not talk.state.is_running()
        service.queue().user("staged since")
        with pytest.raises(TurnDoneError):
            service.resume("me")
        assert (len(weather.runs), len(talk.log())) == (1, 5), "though the calls of the last round wait for the model"

    def test_one_that_broke_off_goes_on(self, talk: Talk) -> None:
        talk.service().queue().user("u")
        talk.state.acquire("me", seconds=60)
        talk.server.script(Refuse(500), Reply("r"))
        with pytest.raises(ProviderError):
            talk.service().resume("me")
        assert talk.state.progress().failed
        assert said(talk.service().resume("me")) == [("assistant", "r")]

    def test_one_whose_hook_raised_is_done(self, talk: Talk) -> None:
        service = talk.service()
        service.queue().user("u")
        service.hook().message("user").do(lambda _: 1 / 0)
        talk.state.acquire("me", seconds=60)
        talk.server.script(Reply("r"))
        with pytest.raises(OnAppendError):
            service.resume("me")
        assert not talk.state.progress().failed

    def test_a_send_that_took_its_place_does_it(self, talk: Talk) -> None:
        talk.service().queue().user("u")
        talk.state.release(talk.state.acquire("me", seconds=60))
        talk.server.script(Reply("r"))
        talk.service().send()
        with pytest.raises(TurnDoneError):
            talk.service().resume("me")
        assert talk.said() == [("user", "u"), ("assistant", "r")]


class TestDue:
    """A turn that may be resumed blindly: the model is asked only if something waits for its answer."""

    def test_nobody_has_said_anything(self, talk: Talk) -> None:
        assert send_if_due(talk.service()) == []

    def test_the_model_has_spoken_last(self, talk: Talk) -> None:
        talk.server.script(Reply("Ahoy!", thinking="hm"))
        service = talk.service()
        service.send("Hello!")
        assert send_if_due(service) == []
        talk.chat().reasoning("thinking on")
        assert send_if_due(talk.service()) == []

    def test_a_queued_message_waits(self, talk: Talk) -> None:
        service = talk.service()
        service.chat().assistant("How can I help?")
        service.queue().user("Hello!")
        talk.server.script(Reply("Ahoy!"))
        assert said(send_if_due(service)) == ANSWERED

    def test_a_result_waits(self, talk: Talk) -> None:
        service = talk.service()
        service.chat().tool("done", "c1")
        talk.server.script(Reply("Ahoy!"))
        assert said(send_if_due(service)) == [("assistant", "Ahoy!")]

    def test_an_open_call_waits(self, talk: Talk) -> None:
        service = talk.service()
        service.chat().assistant("", [{"id": "c1", "function": {"name": "gone", "arguments": "{}"}}])
        talk.server.script(Reply("Ahoy!"))
        assert [message.role for message in send_if_due(service)] == ["tool", "assistant"]

    def test_a_plain_send_asks_the_model_in_any_case(self, talk: Talk) -> None:
        service = talk.service()
        service.chat().assistant("How can I help?")
        talk.server.script(Reply("Well?"))
        assert said(service.send()) == [("assistant", "Well?")]
