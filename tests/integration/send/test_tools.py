"""Tools in a send: each call is answered before the model is asked again, whatever the tool does."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import ProviderError, ToolCall
from messagelog.chat import ToolEvent
from messagelog.chat.sending.calls import open_calls
from messagelog.chat.sending.turn import CUT_OFF, ROUNDS_USED_UP

from tests.support.chat_server import Reply
from tests.support.chats import Talk, Weather, call

CALL = ("assistant", "")


def results(talk: Talk) -> list[str]:
    return [content for role, content in talk.said() if role == "tool"]


def leave_open(talk: Talk, *ids: str) -> None:
    """An assistant's calls of these ids."""
    function = {"name": "get_weather", "arguments": '{"city": "Berlin"}'}
    talk.chat().assistant("", [{"id": id, "type": "function", "function": function} for id in ids])


def test_a_call_is_run_and_the_model_goes_on_with_its_result(talk: Talk) -> None:
    service = talk.service()
    service.tools().add(Weather())
    talk.server.script(Reply("Let me check...", calls=[call("c1")]), Reply("It's 22°C."))
    service.send("How is Berlin?")
    assert talk.said() == [
        ("user", "How is Berlin?"),
        ("assistant", "Let me check..."),
        ("tool", "22 in Berlin"),
        ("assistant", "It's 22°C."),
    ]
    _, asked, result, _ = talk.log()
    assert asked.tool_calls == (ToolCall("c1", "get_weather", {"city": "Berlin"}),)
    assert (result.tool_call_id, result.name, result.origin) == ("c1", "get_weather", "tool")
    assert talk.asked()[-1] == ("tool", "22 in Berlin")


def test_the_model_is_told_of_the_tools(talk: Talk) -> None:
    service = talk.service()
    service.tools().add(Weather())
    talk.server.script(Reply("x"))
    service.send("y")
    (tool,) = talk.server.last_request["tools"]
    assert tool["function"]["name"] == "get_weather"
    assert tool["function"]["parameters"]["properties"] == {"city": {"type": "string"}}


def test_a_result_that_is_no_text_becomes_json(talk: Talk) -> None:
    service = talk.service()
    service.tools().add(Weather(lambda args: {"temp": 22, **args}))
    talk.server.script(Reply(calls=[call("c1", "Köln")]), Reply("x"))
    service.send("y")
    assert results(talk) == ['{"temp":22,"city":"Köln"}']


def test_parallel_calls_are_run_in_order_and_each_result_is_recorded_at_once(talk: Talk) -> None:
    logged: list[int] = []

    def work(args: Any) -> str:
        logged.append(len(talk.log()))
        return str(args["city"])

    service = talk.service()
    service.tools().add(Weather(work))
    talk.server.script(Reply(calls=[call("a", "Berlin"), call("b", "Bonn"), call("c", "Köln")]), Reply("x"))
    service.send("y")
    assert logged == [2, 3, 4]
    assert results(talk) == ["Berlin", "Bonn", "Köln"]
    assert len(talk.server.requests) == 2


def test_a_tool_that_raises_says_so_and_the_model_goes_on(talk: Talk) -> None:
    def work(args: Any) -> str:
        raise RuntimeError("no such city")

    service = talk.service()
    service.tools().add(Weather(work))
    talk.server.script(Reply(calls=[call("a"), call("b")]), Reply("Sorry."))
    service.send("y")
    assert results(talk) == ["Error: RuntimeError: no such city"] * 2
    assert talk.said()[-1] == ("assistant", "Sorry.")


class MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError("cannot even say so")


@pytest.mark.parametrize(
    ("error", "result"),
    [(MuteError(), "Error: MuteError: MuteError"), (SystemExit(2), "Error: SystemExit: 2")],
    ids=repr,
)
def test_whatever_a_tool_raises_answers_its_call(talk: Talk, error: BaseException, result: str) -> None:
    """Also to hooks that look through it, and so that no later send runs the call again."""

    def work(args: Any) -> str:
        raise error

    service, weather = talk.service(), Weather(work)
    service.tools().add(weather)
    events: list[ToolEvent] = []
    service.hook().tool().error().regex("").do(events.append)
    talk.server.script(Reply(calls=[call("a")]), Reply("Sorry."))
    service.send("y")
    assert (results(talk), len(weather.runs)) == ([result], 1)
    assert [event.error for event in events] == [error]


@pytest.mark.parametrize("arguments", ["{", "[]", '"x"', ""])
def test_arguments_that_a_tool_cannot_use_are_its_error(talk: Talk, arguments: str) -> None:
    service = talk.service()
    service.tools().add(Weather())
    talk.server.script(Reply(calls=[("a", "get_weather", arguments)]), Reply("Sorry."))
    service.send("y")
    (result,) = results(talk)
    assert result.startswith("Error: ")


def test_a_tool_that_there_is_not(talk: Talk) -> None:
    service = talk.service()
    service.tools().add(Weather())
    talk.server.script(Reply(calls=[("a", "get_whether", "{}")]), Reply("Sorry."))
    service.send("y")
    (result,) = results(talk)
    assert "get_weather" in result, "the model is told which there are"


@pytest.mark.parametrize("result", ["\ud800", "x" * 6_000_000, object()], ids=["no Unicode", "too large", "no JSON"])
def test_a_result_that_cannot_be_stored_says_so(talk: Talk, result: object) -> None:
    service = talk.service()
    service.tools().add(Weather(lambda _: result))
    talk.server.script(Reply(calls=[call("a")]), Reply("Sorry."))
    service.send("y")
    (stored,) = results(talk)
    assert stored.startswith("Error: ")
    assert len(stored) < 500


def test_more_rounds_than_allowed(talk: Talk) -> None:
    service, weather = talk.service(max_tool_call_rounds=2), Weather()
    service.tools().add(weather)
    talk.server.script(*(Reply(calls=[call(f"c{n}a"), call(f"c{n}b")]) for n in range(3)))
    service.send("y")
    assert len(weather.runs) == 4
    assert results(talk) == ["22 in Berlin"] * 4 + [ROUNDS_USED_UP] * 2
    talk.server.script(Reply("All right."))
    service.send("Enough!")
    assert talk.asked()[-2:] == [("tool", ROUNDS_USED_UP), ("user", "Enough!")]


def test_no_rounds_at_all(talk: Talk) -> None:
    service, weather = talk.service(max_tool_call_rounds=0), Weather()
    service.tools().add(weather)
    talk.server.script(Reply(calls=[call("c1")]))
    service.send("y")
    assert (weather.runs, results(talk)) == ([], [ROUNDS_USED_UP])


def test_ten_rounds_are_allowed_unless_said_otherwise(talk: Talk) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    talk.server.script(*(Reply(calls=[call(f"c{n}")]) for n in range(11)))
    service.send("y")
    assert len(weather.runs) == 10


class TestCutOff:
    """A reply that the model was not allowed to end."""

    @pytest.mark.parametrize("reason", ["length", "content_filter"])
    @pytest.mark.parametrize("arguments", ["", "{}", '{"city": "Ber'])
    def test_none_of_its_calls_is_run_and_the_model_is_asked_again(
        self, talk: Talk, reason: str, arguments: str
    ) -> None:
        service, weather = talk.service(), Weather()
        service.tools().add(weather)
        cut = Reply("Let me", calls=[call("a"), ("b", "get_weather", arguments)], finish=reason)
        talk.server.script(cut, Reply(calls=[call("c")]), Reply("Mild."))
        service.send("y")
        assert results(talk) == [CUT_OFF, CUT_OFF, "22 in Berlin"]
        assert len(weather.runs) == 1
        assert talk.asked(1)[-3:] == [("assistant", "Let me"), ("tool", CUT_OFF), ("tool", CUT_OFF)]

    def test_its_calls_are_answered_with_the_append_that_records_them(self, talk: Talk) -> None:
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

    def test_where_nothing_was_said_the_error_says_what_to_do(self, talk: Talk) -> None:
        talk.server.script(Reply(thinking="On and on", finish="length"))
        with pytest.raises(ProviderError, match=r"\(length\): allow more tokens"):
            talk.service().send("y")
        assert talk.said() == [("user", "y")]


class TestOpenCalls:
    """Calls that an earlier send left open, or that were put in by hand, are answered before the model is asked."""

    def send(self, talk: Talk, content: str | None = None) -> Weather:
        service, weather = talk.service(), Weather()
        service.tools().add(weather)
        talk.server.script(Reply("ok"))
        service.send(content)
        return weather

    def test_all_are_run(self, talk: Talk) -> None:
        leave_open(talk, "a", "b")
        self.send(talk)
        assert talk.said() == [CALL, ("tool", "22 in Berlin"), ("tool", "22 in Berlin"), ("assistant", "ok")]

    def test_those_that_are_answered_are_not_run_again(self, talk: Talk) -> None:
        leave_open(talk, "a", "b", "c")
        talk.chat().tool("mild", "b")
        assert len(self.send(talk).runs) == 2
        assert [message["tool_call_id"] for message in talk.server.last_request["messages"][2:]] == ["a", "b", "c"]

    def test_also_when_the_user_has_spoken_since(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.chat().user("hello?")
        self.send(talk, "still there?")
        assert talk.asked()[1:] == [CALL, ("tool", "22 in Berlin"), ("user", "hello?"), ("user", "still there?")]

    def test_a_result_in_the_queue_answers(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.service().queue().tool("answered by a person", "a")
        assert not self.send(talk).runs
        assert talk.asked()[1:] == [CALL, ("tool", "answered by a person")]

    def test_what_the_model_went_on_without_stays_so(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.chat().assistant("never mind")
        assert not self.send(talk, "well?").runs

    def test_a_result_of_nothing_is_no_reason_to_forget_them(self, talk: Talk) -> None:
        leave_open(talk, "a")
        talk.chat().tool("stray", "zzz")
        assert len(self.send(talk).runs) == 1

    def test_those_before_the_window_are_gone(self, talk: Talk) -> None:
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

    def test_an_id_of_a_call_that_was_never_answered(self, talk: Talk) -> None:
        leave_open(talk, "call_0")
        talk.chat().assistant("never mind")
        service, weather = talk.service(), Weather(lambda args: args["city"])
        service.tools().add(weather)
        talk.server.script(Reply(calls=[call("call_0", "Bonn")]), Reply("ok"))
        service.send("y")
        assert len(weather.runs) == 1
        assert talk.asked()[-1] == ("tool", "Bonn")

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


def test_a_crash_between_two_calls_leaves_a_log_from_which_the_next_send_goes_on(talk: Talk) -> None:
    def work(args: Any) -> str:
        if args["city"] == "Bonn":
            raise KeyboardInterrupt
        return str(args["city"])

    crashing, next_one = talk.service(), talk.service()
    crashing.tools().add(Weather(work))
    talk.server.script(Reply(calls=[call("a", "Berlin"), call("b", "Bonn"), call("c", "Köln")]))
    with pytest.raises(KeyboardInterrupt):
        crashing.send("y")
    assert talk.said() == [("user", "y"), CALL, ("tool", "Berlin")]
    weather = Weather(lambda args: args["city"])
    next_one.tools().add(weather)
    talk.server.script(Reply("ok"))
    next_one.send()
    assert weather.runs == [{"city": "Bonn"}, {"city": "Köln"}]
    assert talk.said()[2:] == [("tool", "Berlin"), ("tool", "Bonn"), ("tool", "Köln"), ("assistant", "ok")]


def test_hooks_are_told_before_and_after_a_tool_and_of_its_error(talk: Talk) -> None:
    def work(args: Any) -> str:
        if args["city"] == "Bonn":
            raise RuntimeError("boom")
        return str(args["city"])

    service = talk.service()
    service.tools().add(Weather(work))
    events: list[ToolEvent] = []
    service.hook().tool("get_weather").do(events.append)
    talk.server.script(Reply(calls=[call("a", "Köln"), call("b", "Bonn"), ("c", "unknown", "{}")]), Reply("ok"))
    service.send("y")
    assert [(event.phase, event.call.id) for event in events] == [
        ("before", "a"),
        ("after", "a"),
        ("before", "b"),
        ("error", "b"),
    ]
    assert events[1].result == "Köln"
    assert str(events[3].error) == "boom"
