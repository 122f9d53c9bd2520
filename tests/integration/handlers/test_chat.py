"""The functions of the chat on a table: queue, prompt tree, window and clear."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from messagelog.chat.dynamodb import DynamoDBChatState
from messagelog.chat.states.state import Window

from tests.support.chat_http import PIRATE, fill, user
from tests.support.faulty import Faulty
from tests.support.http_api import (
    CHAT_OPERATIONS,
    HttpApi,
    Received,
    client_of_functions,
    empty,
    functions_on_moto,
    handler_of,
    new_process,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


@pytest.fixture
def state(api: HttpApi, table: DynamoDBClient) -> DynamoDBChatState:
    return DynamoDBChatState(api.conversation, table="ChatTable", client=table)


@pytest.mark.parametrize("operation", CHAT_OPERATIONS)
def test_the_sample_events_work(api: HttpApi, event: Any, operation: str) -> None:
    reply = Received.of(handler_of(operation)(event(operation), None))
    assert reply.status == {"enqueue": 202, "send": 503}.get(operation, 200), "there is no model to send to"


def test_a_queued_message_is_kept_for_the_next_send(api: HttpApi, state: DynamoDBChatState) -> None:
    reply = api.post("enqueue", user("Hello!"))
    assert (reply.status, reply.json) == (202, {"queued": True})
    (staged,) = state.staged(limit=9)
    assert (staged.message.content, staged.message.origin, api.contents()) == ("Hello!", "user", [])
    assert staged.message.created_at


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ({"role": "wizard", "content": ""}, "role"),
        ({"role": "system", "content": ""}, "role"),
        ({"role": "tool", "content": ""}, "toolCallId"),
        ({"role": "user", "content": 1}, "content"),
        ({"role": "user"}, "content"),
        ({"role": "user", "content": "", "tool_calls": []}, "tool_calls"),
        ({"role": "assistant", "content": "", "toolCalls": [{"id": "1", "name": "f"}]}, "toolCalls[0].args"),
        (["role"], ""),
    ],
    ids=json.dumps,
)
def test_a_message_that_a_chat_refuses_is_not_queued(
    api: HttpApi, state: DynamoDBChatState, message: Any, path: str
) -> None:
    reply = api.post("enqueue", message)
    assert (reply.status, reply.paths) == (422, [path])
    assert not state.staged(limit=9)


def test_a_message_too_large_for_a_reply_is_not_queued(api: HttpApi, state: DynamoDBChatState) -> None:
    assert api.post("enqueue", user("x" * 5_000_000)).status == 413
    assert not state.staged(limit=9)


@pytest.mark.parametrize("operation", ["enqueue", "clear"])
@pytest.mark.parametrize("header", ["If-Match", "Idempotency-Key"])
def test_an_unsupported_precondition_is_refused(api: HttpApi, operation: str, header: str) -> None:
    reply = api.post(operation, user("Hi"), headers={header: '"1"'})
    assert (reply.status, reply.paths) == (400, [header.lower()])


def test_a_chat_shows_the_messages_of_its_window_page_by_page(api: HttpApi, state: DynamoDBChatState) -> None:
    fill(api, *"abcdefg")
    state.move(Window(2, 4))

    def page(**query: Any) -> tuple[str, int | None]:
        reply = api.get("chat_messages", **query)
        assert (reply.etag, reply.json["running"]) == (None, False)
        return "".join(message["content"] for message in reply.json["messages"]), reply.json["next"]

    assert page() == page(after=3) == ("efg", None)
    assert page(limit=2) == ("ef", 6)
    assert page(after=6, limit=2) == ("g", None)
    assert page(after=7) == page(after=99) == ("", None)
    assert page(historic="true") == ("cd", None)
    assert page(historic="true", limit=1) == ("c", 3)
    assert page(historic="true", after=3) == ("d", None)
    assert page(historic="false") == ("efg", None)


def test_a_system_message_of_the_log_is_none_of_the_chats(api: HttpApi) -> None:
    batch = [user("a"), {"role": "system", "content": "b"}, {"role": "reasoning", "content": "c"}]
    api.post("append_many", {"messages": batch})
    assert api.chat() == ["a", "c"]


def test_a_long_window_is_cut_where_the_reply_is_full(api: HttpApi) -> None:
    fill(api, *(letter * 1_500_000 for letter in "abcd"))
    first = api.get("chat_messages").json
    assert (len(first["messages"]), first["next"]) == (3, 3)
    assert api.get("chat_messages", after=3).json["next"] is None


def test_a_running_turn_is_shown_and_keeps_others_from_clearing(api: HttpApi, state: DynamoDBChatState) -> None:
    fill(api, "a")
    lease = state.acquire("somebody", seconds=60)
    assert api.get("chat_messages").json["running"] is True
    for body in ({}, {"messagesOnly": True}):
        assert api.post("clear", body).status == 409
    state.release(lease)
    assert api.get("chat_messages").json["running"] is False
    assert api.chat() == ["a"]


def test_clear_empties_the_chat_and_keeps_the_log(api: HttpApi) -> None:
    api.post("put_system", {"tree": PIRATE["tree"]})
    fill(api, "a")
    assert api.post("clear", {}).json == {"cleared": True}
    assert (api.chat(), api.chat(historic="true"), api.get("get_system").json["text"]) == ([], [], "")
    assert api.contents() == ["a"]
    fill(api, "b")
    assert api.chat() == ["b"]


def test_clear_of_messages_only_keeps_the_prompt_tree(api: HttpApi, state: DynamoDBChatState) -> None:
    api.post("put_system", {"tree": PIRATE["tree"]})
    fill(api, "a", "b")
    state.move(Window(0, 1))
    assert api.post("clear", {"messagesOnly": True}).status == 200
    assert (api.chat(), api.chat(historic="true"), api.get("get_system").json) == ([], [], PIRATE)


def test_clear_needs_no_body(api: HttpApi) -> None:
    fill(api, "a")
    assert api.send("clear", body=None).status == 200
    assert api.chat() == []


@pytest.mark.parametrize("body", [{"messagesOnly": 1}, {"messagesOnly": "true"}, {"messagesOnly": []}])
def test_a_switch_that_is_none_clears_nothing(api: HttpApi, body: Any) -> None:
    fill(api, "a")
    reply = api.post("clear", body)
    assert (reply.status, reply.paths) == (422, ["messagesOnly"])
    assert api.chat() == ["a"]


@pytest.mark.parametrize("historic", ["false", "true"])
def test_a_limit_is_a_limit_of_the_storage(api: HttpApi, state: DynamoDBChatState, historic: str) -> None:
    fill(api, *"abcdefgh")
    if historic == "true":
        state.move(Window(0, 8), seen=state.window())
    new_process()
    asked = Faulty(client_of_functions())
    assert api.chat(limit=2, historic=historic) == ["a", "b"]
    (query,) = asked.sent("Query")
    assert query.parameters["Limit"] == 3, "one more shows whether this is the end"
