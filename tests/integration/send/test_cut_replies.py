"""A reply that the model was not allowed to finish: none of its calls is run."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import ProviderError
from messagelog.chat.sending.calls import open_calls
from messagelog.chat.sending.turn import CUT_OFF

from tests.support.chat_server import Reply
from tests.support.chats import Talk, Weather, call, results


class TestCutOff:
    """A reply that the model was not allowed to end."""

    @pytest.mark.parametrize("reason", ["length", "content_filter"])
    @pytest.mark.parametrize("arguments", ["", "{}", '{"city": "Ber'])
    def test_no_call_is_run_and_the_model_is_asked_again(self, talk: Talk, reason: str, arguments: str) -> None:
        service, weather = talk.service(), Weather()
        service.tools().add(weather)
        cut = Reply("Let me", calls=[call("a"), ("b", "get_weather", arguments)], finish=reason)
        talk.server.script(cut, Reply(calls=[call("c")]), Reply("Mild."))
        service.send("y")
        assert results(talk) == [CUT_OFF, CUT_OFF, "22 in Berlin"]
        assert len(weather.runs) == 1
        assert talk.asked(1)[-3:] == [("assistant", "Let me"), ("tool", CUT_OFF), ("tool", CUT_OFF)]

    def test_its_calls_are_answered_in_the_same_append(self, talk: Talk) -> None:
        """So that no later send finds them open, whatever happens now."""
        service, weather = talk.service(), Weather()
        service.tools().add(weather)
        talk.server.script(Reply(calls=[call("a")], finish="length"))
        service.hook().message("assistant").do(lambda _: found.append(open_calls(talk.log())))
        found: list[Any] = []
        with pytest.raises(ProviderError):
            service.send("y")
        assert found == [[]]

    def test_it_is_one_of_the_rounds(self, talk: Talk) -> None:
        service = talk.service(max_tool_call_rounds=1)
        service.tools().add(Weather())
        talk.server.script(*[Reply(calls=[call("a")], finish="length")] * 2)
        service.send("y")
        assert results(talk) == [CUT_OFF] * 2

    def test_a_text_alone_is_the_answer(self, talk: Talk) -> None:
        talk.server.script(Reply("Half of", finish="length"))
        talk.service().send("y")
        assert talk.said() == [("user", "y"), ("assistant", "Half of")]

    def test_a_reply_cut_before_its_first_word_is_an_error(self, talk: Talk) -> None:
        talk.server.script(Reply(thinking="On and on", finish="length"))
        with pytest.raises(ProviderError, match=r"\(length\): allow more tokens"):
            talk.service().send("y")
        assert talk.said() == [("user", "y")]
