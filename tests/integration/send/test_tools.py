"""Tools in a send: each call is answered before the model is asked again, whatever the tool does."""

from __future__ import annotations

from asyncio import CancelledError
from typing import Any

import pytest
from messagelog import ToolCall
from messagelog.chat import ToolEvent
from messagelog.chat.sending.turn import ROUNDS_USED_UP

from tests.support.chat_server import Reply
from tests.support.chats import Talk, Weather, call, results

CALL = ("assistant", "")


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


def test_a_result_that_is_not_text_becomes_json(talk: Talk) -> None:
    service = talk.service()
    service.tools().add(Weather(lambda args: {"temp": 22, **args}))
    talk.server.script(Reply(calls=[call("c1", "Köln")]), Reply("x"))
    service.send("y")
    assert results(talk) == ['{"temp":22,"city":"Köln"}']


def test_parallel_calls_run_in_order_and_are_recorded_at_once(talk: Talk) -> None:
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
    [
        (MuteError(), "Error: MuteError: MuteError"),
        (SystemExit(2), "Error: SystemExit: 2"),
        (CancelledError("late"), "Error: CancelledError: late"),
        (GeneratorExit(), "Error: GeneratorExit: "),
    ],
    ids=repr,
)
def test_an_exception_of_a_tool_answers_its_call(talk: Talk, error: BaseException, result: str) -> None:
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


def test_an_unknown_tool_is_told_the_known_ones(talk: Talk) -> None:
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


def test_the_next_send_goes_on_after_a_crash_between_calls(talk: Talk) -> None:
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
