"""Each function on a table: what it answers to good requests. Routes and replies are in the README's table."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from messagelog import MessageLog
from messagelog.memory import MemoryStorage

from tests.support.http_api import (
    APPENDS,
    OPERATIONS,
    PAGED,
    VIEWS,
    HttpApi,
    Received,
    empty,
    functions_on_moto,
    handler_of,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MESSAGE = {
    "role": "assistant",
    "content": 'é😀 "quoted" \\ \0',
    "name": "planner",
    "toolCalls": [{"id": "call_1", "name": "search", "args": {"b": 1, "a": [1.0, -0.0, 10**400, None, ""], "": {}}}],
    "toolCallId": "call_0",
    "origin": "model",
}
BODIES: dict[str, Any] = {
    "add": {"content": "Hi"},
    "append": {"role": "user", "content": "Hi"},
    "append_many": {"messages": [{"role": "user", "content": "Hi"}]},
}


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def fill(api: HttpApi, count: int) -> None:
    batch = [user(str(seq)) for seq in range(1, count + 1)]
    assert api.post("append_many", {"messages": batch}).status == 201


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_sample_events_work(table: DynamoDBClient, event: Any, operation: str) -> None:
    reply = Received.of(handler_of(operation)(event(operation), None))
    assert reply.status == (201 if operation in APPENDS else 200)


def test_appends_answer_with_the_last_seq(api: HttpApi) -> None:
    assert api.post("append", user("1")).json == {"seq": 1}
    assert api.post("add", {"content": "2"}).json == {"seq": 2}
    assert api.post("append_many", {"messages": [user("3"), user("4"), user("5")]}).json == {"seq": 5}
    assert api.contents() == ["1", "2", "3", "4", "5"]


def test_an_empty_batch_answers_with_the_count(api: HttpApi) -> None:
    fill(api, 2)
    reply = api.post("append_many", {"messages": []})
    assert (reply.status, reply.json, reply.etag) == (201, {"seq": 2}, '"2"')


@pytest.mark.parametrize("operation", APPENDS)
def test_an_append_carries_the_count_as_its_etag(api: HttpApi, operation: str) -> None:
    fill(api, 3)
    reply = api.post(operation, BODIES[operation])
    assert (reply.status, reply.etag) == (201, '"4"')


@pytest.mark.parametrize("operation", APPENDS)
def test_an_appended_message_is_read_back_exactly(api: HttpApi, operation: str) -> None:
    sent = {"role": "user", "content": MESSAGE["content"]} if operation == "add" else MESSAGE
    bodies = {"add": {"content": MESSAGE["content"]}, "append": MESSAGE, "append_many": {"messages": [MESSAGE]}}
    api.post(operation, bodies[operation])
    (read,) = api.messages()
    assert read == api.get("last").json["message"] == api.get("last", n=1).json["messages"][0]
    seq, at = read.pop("seq"), read.pop("at")
    assert (seq, len(at), at[-1]) == (1, len("2026-03-01T12:00:00.000000Z"), "Z")
    assert json.dumps(read) == json.dumps(sent), "types and the order of keys too"


def test_messages_of_a_read_can_be_appended_elsewhere(api: HttpApi, event: Any) -> None:
    api.post("append", MESSAGE)
    elsewhere = HttpApi(event)
    assert elsewhere.post("append_many", {"messages": api.messages()}).json == {"seq": 1}
    assert elsewhere.messages()[0] | {"at": ""} == api.messages()[0] | {"at": ""}


def test_null_for_an_optional_field_is_absence(api: HttpApi) -> None:
    optional = dict.fromkeys(["name", "toolCalls", "toolCallId", "origin", "seq", "at"])
    assert api.post("append", {**user("Hi"), **optional}).status == 201
    assert set(api.messages()[0]) == {"role", "content", "seq", "at"}


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_add_takes_the_role_from_the_path(api: HttpApi, role: str) -> None:
    api.post("add", {"content": ""}, role=role)
    message = api.get("last").json["message"]
    assert (message["role"], message["content"]) == (role, "")


@pytest.mark.parametrize("text", ["Hi", '{"content": 1', " \r\n\t", "é😀\0\u2028", "\ufeffmarked", '"', "null"])
@pytest.mark.parametrize("base64", [False, True])
@pytest.mark.parametrize("media_type", ["text/plain", "Text/Plain; charset=utf-8"])
def test_add_takes_plain_text_as_it_is(api: HttpApi, text: str, base64: bool, media_type: str) -> None:
    body = b64encode(text.encode()).decode() if base64 else text
    reply = api.send("add", body=body, isBase64Encoded=base64, headers={"content-type": media_type})
    assert reply.status == 201
    assert api.contents() == [text]


@pytest.mark.parametrize("operation", APPENDS)
def test_a_body_may_be_base64_encoded(api: HttpApi, operation: str) -> None:
    body = json.dumps(BODIES[operation] | {}).replace("Hi", "é😀")
    reply = api.send(operation, body=b64encode(body.encode()).decode(), isBase64Encoded=True)
    assert reply.status == 201
    assert api.contents() == ["é😀"]


def test_all_returns_the_messages_after_a_seq_up_to_a_limit(api: HttpApi) -> None:
    fill(api, 5)

    def page(**query: int) -> tuple[list[int], int | None]:
        reply = api.get("all", **query).json
        return [message["seq"] for message in reply["messages"]], reply["next"]

    assert page() == ([1, 2, 3, 4, 5], None)
    assert page(after=0) == ([1, 2, 3, 4, 5], None)
    assert page(after=3) == ([4, 5], None)
    assert page(limit=2) == ([1, 2], 2)
    assert page(after=2, limit=2) == ([3, 4], 4)
    assert page(after=4, limit=1) == ([5], None)
    assert page(limit=5) == ([1, 2, 3, 4, 5], None), "the exact end is the end"
    assert page(after=5) == page(after=99) == page(after=10**12 - 1) == ([], None)
    assert page(limit=10**12 - 1) == ([1, 2, 3, 4, 5], None)


@pytest.mark.parametrize("limit", [1, 7, 29, 30, 31])
def test_pages_joined_are_the_whole_log(api: HttpApi, limit: int) -> None:
    fill(api, 30)
    assert [message["seq"] for message in api.messages(limit=limit)] == list(range(1, 31))


def test_last_shows_the_last_message_or_null(api: HttpApi) -> None:
    assert api.get("last").json == {"message": None}
    fill(api, 2)
    assert api.get("last").json["message"]["content"] == "2"


def test_last_with_n_shows_the_last_n_oldest_first(api: HttpApi) -> None:
    assert api.get("last", n=3).json == {"messages": [], "next": None}
    fill(api, 5)
    for n, expected in {0: [], 1: [5], 3: [3, 4, 5], 5: [1, 2, 3, 4, 5], 10**12 - 1: [1, 2, 3, 4, 5]}.items():
        reply = api.get("last", n=n).json
        assert [message["seq"] for message in reply["messages"]] == expected
        assert reply["next"] is None


def test_count_counts(api: HttpApi) -> None:
    assert api.get("count").json == {"count": 0}
    fill(api, 7)
    assert api.get("count").json == {"count": 7}


def test_replies_that_show_the_end_of_the_log_carry_the_count(api: HttpApi) -> None:
    assert [api.get(operation).etag for operation in ("all", "last", "count")] == ['"0"'] * 3
    fill(api, 3)
    assert [api.get(operation).etag for operation in ("all", "last", "count")] == ['"3"'] * 3
    assert api.get("last", n=2).etag == api.get("all", after=1).etag == api.get("all", limit=3).etag == '"3"'


@pytest.mark.parametrize("query", [{"limit": 2}, {"after": 3}, {"after": 9}])
def test_a_reply_that_does_not_show_the_end_carries_no_count(api: HttpApi, query: dict[str, int]) -> None:
    fill(api, 3)
    assert api.get("all", **query).etag is None


@pytest.mark.parametrize("operation", VIEWS)
def test_a_view_is_the_one_that_the_library_gives(api: HttpApi, operation: str) -> None:
    messages = [{"role": "system", "content": "Be brief."}, user("Where?"), MESSAGE, {"role": "tool", "content": "x"}]
    log = MessageLog(MemoryStorage())
    log.append_many(messages)
    api.post("append_many", {"messages": messages})
    assert api.get(operation).json == {"messages": getattr(log, operation)(), "next": None}
    assert len(api.get(operation).json["messages"]) > 1


@pytest.mark.parametrize(
    ("operation", "empty"),
    [("count", {"count": 0}), ("last", {"message": None}), *((name, {"messages": [], "next": None}) for name in PAGED)],
)
def test_an_unknown_conversation_is_an_empty_one(api: HttpApi, operation: str, empty: object) -> None:
    reply = api.get(operation)
    assert (reply.status, reply.json) == (200, empty)


def test_conversations_are_apart(api: HttpApi, event: Any) -> None:
    """Nothing decodes, trims, folds or normalises the name: API Gateway has decoded it once."""
    names = ["a", "A", "a%2Fb", "a%252Fb", "a b", "a+b", " a", "a ", "é", "e\u0301", '"', "\\", "'", "a#b&c=d"]
    names += ["👩‍💻", "👩💻", "می‌خواهم", "...", "-", "head", "msg#000000000001", "z" * 256, "é" * 128, "${x}", "null"]
    for name in names:
        assert HttpApi(event, conversation=name).post("append", user(name)).json == {"seq": 1}
    for name in names:
        assert HttpApi(event, conversation=name).contents() == [name]
