"""No tool of a reply that was cut runs, and a reply that ends with an error is not recorded."""

from __future__ import annotations

import json

import pytest
from messagelog import ProviderError
from messagelog.chat.sending.turn import CUT_OFF

from tests.support.chat_server import Chunked, Reply
from tests.support.chats import Talk, Weather, call

CUT = ["length", "content_filter", "model_length", "sensitive", "max_tokens", "SAFETY", "timeout", "repetition"]
ERRORS = ["error", "abort", "insufficient_system_resource", "network_error"]


@pytest.mark.parametrize("reason", [*CUT, "MALFORMED_FUNCTION_CALL", "unheard_of"])
def test_no_tool_of_a_cut_reply_runs(talk: Talk, reason: str) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    talk.server.script(Reply("Let me", calls=[call("a"), call("b")], finish=reason), Reply("Mild."))
    service.send("weather?")
    assert weather.runs == []
    assert talk.said() == [
        ("user", "weather?"),
        ("assistant", "Let me"),
        ("tool", CUT_OFF),
        ("tool", CUT_OFF),
        ("assistant", "Mild."),
    ]


@pytest.mark.parametrize("reason", ERRORS)
def test_a_reply_that_ends_with_an_error_is_not_recorded(talk: Talk, reason: str) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    talk.server.script(Reply("Let me", calls=[call("a")], finish=reason), Reply("Mild."))
    with pytest.raises(ProviderError, match=reason) as caught:
        service.send("weather?")
    assert caught.value.code == reason
    assert (weather.runs, talk.said()) == ([], [("user", "weather?")])
    service.send()
    assert talk.said()[1:] == [("assistant", "Mild.")]


def test_ids_that_change_in_mid_call_run_the_tool_once(talk: Talk) -> None:
    service, weather = talk.service(), Weather()
    service.tools().add(weather)
    pieces = ['{"ci', 'ty": ', '"Köln"', "}"]
    calls = [
        {"index": 0, "id": id, "function": {"name": None if at else "get_weather", "arguments": pieces[at]}}
        for at, id in enumerate("abcd")
    ]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in calls]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    talk.server.script(Chunked([json.dumps(chunk) for chunk in [*chunks, end]]), Reply("Mild."))
    service.send("weather?")
    assert weather.runs == [{"city": "Köln"}]
