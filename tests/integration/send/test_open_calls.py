"""Calls that wait for a result: they are answered before the model is asked, and each result finds its call."""

from __future__ import annotations

from typing import Any

from messagelog import ToolCall
from messagelog.views.exchanges import UNANSWERED

from tests.support.chat_server import Reply
from tests.support.chats import Talk, Weather, call, results

CALL = ("assistant", "")


def leave_open(talk: Talk, *ids: str) -> None:
    """An assistant's calls of these ids."""
    function = {"name": "get_weather", "arguments": '{"city": "Berlin"}'}
    talk.chat().assistant("", [{"id": id, "type": "function", "function": function} for id in ids])


class TestOpenCalls:
    """Calls that an earlier send left open, or that were put in by hand, are answered before the model is asked."""

    def send(self, talk: Talk, content: str | None = None) -> Weather:
        service, weather = talk.service(), Weather()
        service.tools().add(weather)
        talk.server.script(Reply("ok"))
        service.send(content)
        return weather

    def test_all_open_calls_are_run(self, talk: Talk) -> None:
        leave_open(talk, "a", "b")
        self.send(talk)
        assert talk.said() == [CALL, ("tool", "22 in Berlin"), ("tool", "22 in Berlin"), ("assistant", "ok")]

    def test_answered_calls_are_not_run_again(self, talk: Talk) -> None:
        leave_open(talk, "a", "b", "c")
        talk.chat().tool("mild", "b")
        assert len(self.send(talk).runs) == 2
        assert [message["tool_call_id"] for message in talk.server.last_request["messages"][2:]] == ["a", "b", "c"]

    def test_calls_are_run_although_the_user_spoke_since(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.chat().user("hello?")
        self.send(talk, "still there?")
        assert talk.asked()[1:] == [CALL, ("tool", "22 in Berlin"), ("user", "hello?"), ("user", "still there?")]

    def test_a_result_in_the_queue_answers(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.service().queue().tool("answered by a person", "a")
        assert not self.send(talk).runs
        assert talk.asked()[1:] == [CALL, ("tool", "answered by a person")]

    def test_calls_that_the_model_went_on_without_are_not_run(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.chat().assistant("never mind")
        assert not self.send(talk, "well?").runs

    def test_a_stray_result_does_not_close_them(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.chat().tool("stray", "zzz")
        assert len(self.send(talk).runs) == 1

    def test_calls_before_the_window_are_not_run(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.chat().clear_messages()
        assert not self.send(talk, "hello").runs


class TestIds:
    """Each result finds its call, whatever ids the model makes up."""

    def test_a_call_without_an_id_gets_one(self, talk: Talk) -> None:
        service, weather = talk.service(), Weather()
        service.tools().add(weather)
        talk.server.script(Reply(calls=[call("", "Bonn"), ("", "get_weather", "")]), Reply("ok"))
        service.send("y")
        _, asked, *answers, _ = talk.log()
        ids = [each.id for each in asked.tool_calls]
        assert all(ids)
        assert [answer.tool_call_id for answer in answers] == ids

    def test_an_id_of_an_unanswered_call_is_used_again(self, talk: Talk) -> None:
        leave_open(talk, "call_0")
        talk.chat().assistant("never mind")
        service, weather = talk.service(), Weather(lambda args: args["city"])
        service.tools().add(weather)
        talk.server.script(Reply(calls=[call("call_0", "Bonn")]), Reply("ok"))
        service.send("y")
        assert len(weather.runs) == 1
        assert talk.asked()[-1] == ("tool", "Bonn")

    def test_an_older_call_of_the_same_id_is_given_up_first(self, talk: Talk) -> None:
        """So that a second result with the id does not go to the older call."""
        leave_open(talk, "x")
        talk.chat().assistant("never mind")
        service = talk.service()
        service.tools().add(Weather(lambda args: args["city"]))
        talk.server.script(Reply(calls=[call("x", "Bonn")]), Reply("ok"), Reply("ok"))
        service.send("y")
        assert results(talk) == [UNANSWERED, "Bonn"]
        service.chat().tool("Bonn, again", "x")
        service.send("z")
        assert [content for role, content in talk.asked() if role == "tool"] == [UNANSWERED, "Bonn\nBonn, again"]

    def test_an_open_call_gets_its_result_before_an_older_one(self, talk: Talk) -> None:
        leave_open(talk, "x")
        leave_open(talk, "x", "y")
        service, weather = talk.service(), Weather()
        service.tools().add(weather)
        talk.server.script(Reply("ok"))
        service.send()
        assert len(weather.runs) == 2
        assert results(talk) == ["22 in Berlin", "22 in Berlin", UNANSWERED]
        answers = [content for role, content in talk.asked() if role == "tool"]
        assert answers == [UNANSWERED, "22 in Berlin", "22 in Berlin"]

    def test_a_call_without_an_id_in_the_log_blocks_nothing(self, talk: Talk) -> None:
        talk.chat().assistant("", [ToolCall("", "get_weather", {"city": "Bonn"})])
        service = talk.service()
        service.tools().add(Weather())
        talk.server.script(Reply("ok"))
        service.send()
        assert results(talk) == ["22 in Bonn"]

    def test_an_id_that_is_used_in_every_round_stays(self, talk: Talk) -> None:
        service, weather = talk.service(), Weather(lambda args: args["city"])
        service.tools().add(weather)
        talk.server.script(*(Reply(calls=[call("call_0", city)]) for city in ("Bonn", "Köln")), Reply("ok"))
        service.send("y")
        assert results(talk) == ["Bonn", "Köln"]
        assert {message.tool_call_id for message in talk.log() if message.role == "tool"} == {"call_0"}

    def test_two_calls_with_one_id(self, talk: Talk) -> None:
        service, weather = talk.service(), Weather(lambda args: args["city"])
        service.tools().add(weather)
        step = [
            {"index": n, "id": "x", "function": {"name": "get_weather", "arguments": f'{{"city": "{city}"}}'}}
            for n, city in enumerate(("Bonn", "Köln"))
        ]
        talk.server.script(_Calls(step), Reply("ok"))
        service.send("y")
        assert [content for role, content in talk.asked() if role == "tool"] == ["Bonn", "Köln"]


class _Calls(Reply):
    def __init__(self, step: list[dict[str, Any]]) -> None:
        super().__init__()
        self.step = step

    def pieces(self, chunks: Any) -> None:
        chunks.delta(tool_calls=self.step)
