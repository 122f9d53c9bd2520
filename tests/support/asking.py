"""Asks an OpenAI-compatible server that a test scripts, and returns the events or the error."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from messagelog import ProviderError
from messagelog.chat.providers import Event

from tests.support.chat_server import ChatServer

SECRET = "the treasure is on Tortuga"
ASKED = [{"role": "user", "content": SECRET}]
WEATHER = SimpleNamespace(name="get_weather", description="The weather of a city.", parameters={"type": "object"})


def events_of(server: ChatServer, *steps: Any, tools: Any = (), **arguments: Any) -> list[Event]:
    """The events of a reply. `arguments` are those of the provider."""
    server.script(*steps)
    return list(server.provider(**arguments).stream("Be brief.", ASKED, tools))


def error_of(server: ChatServer, *steps: Any, **arguments: Any) -> tuple[list[Event], ProviderError]:
    """The events before the error, and the error, which holds nothing of the conversation."""
    events: list[Event] = []
    server.script(*steps)
    with pytest.raises(ProviderError) as caught:
        deque(map(events.append, server.provider(**arguments).stream(None, ASKED, [])))
    assert "Tortuga" not in f"{caught.value!r} {caught.value} {caught.value.code}"
    assert caught.value.__suppress_context__
    return events, caught.value
