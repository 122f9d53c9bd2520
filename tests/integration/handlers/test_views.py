"""The views over HTTP: windows, the plain mapping, and pages that stand alone and joined are the whole view."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from messagelog import MessageLog
from messagelog.memory import MemoryStorage

from tests.support.http_api import VIEWS, HttpApi, empty, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

QUERIES: list[dict[str, Any]] = [
    *({"last": count} for count in (0, 4, 999)),
    *({"max_tokens": count} for count in (0, 9)),
    *({"after": seq} for seq in (4, 99)),
    *({"faithful": value} for value in (True, False)),
    {"last": 8, "max_tokens": 30},
    {"last": 6, "after": 4},
    {"last": 4, "after": 1},
]
each_view = pytest.mark.parametrize("view", VIEWS)


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def exchange(number: int, question: str = "Why?", text: str = "") -> list[dict[str, Any]]:
    """A question, a call with its result, and the answer."""
    call = {"id": f"call_{number}", "name": "search", "args": {"query": text}}
    return [
        {"role": "user", "content": question},
        {"role": "assistant", "content": "", "toolCalls": [call]},
        {"role": "tool", "content": text or "nothing", "toolCallId": f"call_{number}"},
        {"role": "assistant", "content": f"answer {number}"},
    ]


def fill(api: HttpApi, *exchanges: list[dict[str, Any]]) -> MessageLog:
    """Appends the messages, and returns a log that holds the same."""
    log = MessageLog(MemoryStorage())
    for messages in exchanges:
        assert api.post("append_many", {"messages": messages}).status == 201
        log.append_many(messages)
    return log


@each_view
@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_the_query_is_what_the_library_takes(api: HttpApi, view: str, query: dict[str, Any]) -> None:
    broken = [{"role": "assistant", "content": "hello"}, {"role": "tool", "content": "of no call", "toolCallId": "x"}]
    log = fill(api, exchange(1), exchange(2), broken, exchange(3))
    sent = {name: str(value).lower() for name, value in query.items()}
    assert api.get(view, **sent).json == {"messages": getattr(log, view)(**query), "next": None}


@each_view
def test_in_a_window_a_result_far_from_its_call_does_not_match(api: HttpApi, view: str) -> None:
    """The distance is more than 200 messages. Without a window, the result still matches."""
    question, call, result, answer = exchange(1)
    log = fill(api, [question, call, *([question] * 201), result, answer])
    for query in ({}, {"last": 300}):
        assert api.get(view, **query).json["messages"] == getattr(log, view)(**query)
    assert (log.to_openai() == log.to_openai(last=300)) is False


@each_view
@pytest.mark.parametrize("window", [{}, {"last": 8}], ids=str)
def test_an_after_inside_an_exchange_begins_before_it(api: HttpApi, view: str, window: dict[str, int]) -> None:
    """A page invents no call for a result whose own is before `after`."""
    log = fill(api, exchange(1), exchange(2))
    assert api.get(view, after=6, **window).json["messages"] == getattr(log, view)(after=4)
    assert api.get(view, after=8, **window).json["messages"] == []


@each_view
@pytest.mark.parametrize("name", ["last", "max_tokens", "after", "faithful"])
def test_a_bad_value_is_refused(api: HttpApi, view: str, name: str) -> None:
    for text in ("", "-1", "1.5", "1,2", "all", "True", "٣"):
        reply = api.get(view, **{name: text})
        assert (reply.status, reply.paths) == (400, [name])


@each_view
def test_pages_stand_alone_and_joined_are_the_whole_view(api: HttpApi, view: str) -> None:
    text = '"\x7f語' * 100_000  # escaped or not, more than a tenth of a reply
    log = fill(api, *(exchange(number, text, text[:5_000]) for number in range(9)))
    after: int | None = 0
    joined: list[dict[str, Any]] = []
    pages = 0
    while after is not None:
        reply = api.get(view, after=after)
        assert reply.json["messages"][0]["role"] in ("user", "system")
        assert (reply.etag is None) == (reply.json["next"] is not None), "the count goes with the end"
        joined += reply.json["messages"]
        after, pages = reply.json["next"], pages + 1
    assert pages > 1
    assert joined == getattr(log, view)()


@each_view
def test_pages_of_a_window_joined_are_the_window(api: HttpApi, view: str) -> None:
    """Also where each exchange has the same call id, which no provider takes twice."""
    text = '"\x7f語' * 100_000
    log = fill(api, *(exchange(1, text, text[:5_000]) for _ in range(9)))
    after: int | None = 0
    joined: list[dict[str, Any]] = []
    pages = 0
    while after is not None:
        reply = api.get(view, last=32, after=after)
        joined += reply.json["messages"]
        after, pages = reply.json["next"], pages + 1
    assert pages > 1
    assert joined == getattr(log, view)(last=32)


@pytest.mark.parametrize("view", ["to_openai", "to_anthropic", "to_bedrock"])
def test_an_exchange_no_reply_can_hold_is_413_and_can_be_passed(api: HttpApi, view: str) -> None:
    fill(api, exchange(1), exchange(2, text="x" * 2_400_000), exchange(3))
    first = api.get(view)
    assert first.json["next"] == 4
    assert api.get(view, after=4).json["next"] == 5, "the question alone"
    refused = api.get(view, after=5)
    assert (refused.status, refused.json["seqs"], refused.json["next"]) == (413, [6, 7], 7)
    assert "after=7" in refused.json["detail"]
    assert [entry["role"] for entry in api.get(view, after=7).json["messages"][:2]] == ["assistant", "user"]
    assert api.get(view, faithful="true").status == 200, "a view without repairs can be cut anywhere"


def an_agents_turn() -> list[dict[str, Any]]:
    """One question, followed by more calls and results than fit into a reply."""
    question, _, _, answer = exchange(0)
    calls = [message for number in range(1, 9) for message in exchange(number, text="x" * 500_000)[1:3]]
    return [question, *calls, answer]


def a_long_speech() -> list[dict[str, Any]]:
    """One question, and more said to it in a row than a reply holds."""
    return [{"role": "user", "content": "Why?"}, *[{"role": "assistant", "content": "x" * 2_000_000}] * 4]


@each_view
@pytest.mark.parametrize("turn", [an_agents_turn(), a_long_speech()], ids=["calls", "speech"])
def test_a_turn_no_reply_can_hold_is_read_in_pages(api: HttpApi, view: str, turn: list[dict[str, Any]]) -> None:
    log = MessageLog(MemoryStorage())
    for message in turn:
        assert api.post("append", message).status == 201
        log.append(message)
    after: int | None = 0
    parts: list[list[dict[str, Any]]] = []
    while after is not None:
        reply = api.get(view, after=after)
        assert reply.status == 200
        parts.append(reply.json["messages"])
        after = reply.json["next"]
    assert len(parts) > 1 or (view, len(turn)) == ("to_langchain", 18)
    assert _joined(parts) == getattr(log, view)()


def _joined(parts: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Joins the pages. If two pages share a turn, its blocks are joined too."""
    entries: list[dict[str, Any]] = []
    for entry in chain.from_iterable(parts):
        shared = entries and isinstance(entry["content"], list) and entries[-1]["role"] == entry["role"]
        if shared:
            entries[-1]["content"] += entry["content"]
        else:
            entries.append(entry)
    return entries


@each_view
def test_a_view_that_shows_the_end_carries_the_count(api: HttpApi, view: str) -> None:
    fill(api, exchange(1), exchange(2))
    assert [api.get(view, **query).etag for query in ({}, {"last": 4}, {"after": 4})] == ['"8"'] * 3


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_beyond_its_function_asks_for_a_window(api: HttpApi, view: str) -> None:
    messages = [{"role": "user", "content": "x" * 300_000}] * 4
    assert api.post("append_many", {"messages": messages}).status == 201
    api.context = SimpleNamespace(
        memory_limit_in_mb="170", get_remaining_time_in_millis=lambda: 900_000, aws_request_id="r"
    )
    reply = api.get(view)
    assert (reply.status, "ask for a window" in reply.json["detail"]) == (413, True)
    assert api.get(view, last=1).status == 200
