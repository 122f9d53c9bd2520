"""The prompt tree over HTTP: it comes back as it was put, and a bad tree or an old version is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from messagelog.chat.dynamodb import DynamoDBChatState

from tests.support.chat_http import EMPTY_TREE, PIRATE, ROOM, tree_of
from tests.support.http_api import (
    HttpApi,
    empty,
    functions_on_moto,
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


def test_a_chat_without_a_prompt_tree_shows_the_empty_one(api: HttpApi) -> None:
    reply = api.get("get_system")
    assert (reply.status, reply.json, reply.etag) == (200, {"tree": EMPTY_TREE, "text": ""}, '"0"')


def test_a_prompt_tree_is_read_back_as_it_was_put(api: HttpApi) -> None:
    put = api.post("put_system", {"tree": PIRATE["tree"]})
    got = api.get("get_system")
    assert (put.status, put.json, put.etag) == (got.status, got.json, got.etag) == (200, PIRATE, '"1"')


def test_the_tree_of_a_read_can_be_put_back(api: HttpApi) -> None:
    api.post("put_system", {"tree": PIRATE["tree"]})
    assert api.post("put_system", api.get("get_system").json).json == PIRATE


def test_of_two_writers_of_the_tree_the_later_one_is_told(api: HttpApi) -> None:
    first = api.post("put_system", {"tree": tree_of("a")}, headers={"If-Match": '"0"'})
    second = api.post("put_system", {"tree": tree_of("b")}, headers={"If-Match": '"0"'})
    assert (first.status, second.status, second.json["version"]) == (200, 412, 1)
    assert "a" in api.get("get_system").json["text"]
    assert api.post("put_system", {"tree": tree_of("b")}, headers={"If-Match": '"1"'}).etag == '"2"'


def test_without_a_version_the_tree_is_replaced(api: HttpApi) -> None:
    for text in "ab":
        assert api.post("put_system", {"tree": tree_of(text)}).status == 200
    assert "b" in api.get("get_system").json["text"]


@pytest.mark.parametrize(
    ("tree", "path"),
    [
        (None, "tree"),
        ({"childs": []}, "tree.childs"),
        ({"children": {}}, "tree.children"),
        ({"children": [{"title": "x"}]}, "tree.children[0].id"),
        ({"children": [{"id": "general", "content": "x"}]}, "tree.children[0].content"),
        ({"children": [{"id": "a"}, {"id": "a"}]}, "tree.children[1].id"),
        ({"children": [{"id": "a", "children": [{"id": "b", "content": 7}]}]}, "tree.children[0].children[0].content"),
        ({"title": 1}, "tree.title"),
    ],
    ids=json.dumps,
)
def test_a_bad_tree_is_refused_with_the_path_of_the_fault(api: HttpApi, tree: Any, path: str) -> None:
    reply = api.post("put_system", {"tree": tree})
    assert (reply.status, reply.paths) == (422, [path])
    assert api.get("get_system").etag == '"0"'


def test_a_body_without_a_tree_is_refused(api: HttpApi) -> None:
    assert api.post("put_system", {}).paths == ["tree"]
    assert api.post("put_system", {"tree": {}, "version": 1}).paths == ["version"]
    assert api.post("put_system", '{"tree": {"title": "a", "title": "b"}}').status == 422


def test_a_tree_of_megabytes_is_kept(api: HttpApi) -> None:
    text = "é漢\n" * 250_000
    assert api.post("put_system", {"tree": tree_of(text)}).status == 200
    shown = api.get("get_system").json
    (general,) = (child for child in shown["tree"]["children"] if child["id"] == "general")
    assert general["children"][0]["content"] == text
    assert shown["text"] is None, "both together are more than one reply carries"


def test_a_tree_that_no_reply_carries_is_refused(api: HttpApi) -> None:
    around = len(json.dumps(api.post("put_system", {"tree": tree_of("")}).json["tree"], separators=(",", ":")))
    largest = "x" * (ROOM - around)
    refused = api.post("put_system", {"tree": tree_of(f"{largest}x")})
    assert (refused.status, refused.json["detail"].startswith("the prompt tree takes")) == (413, True)
    assert api.get("get_system").etag == '"1"'
    assert api.post("put_system", {"tree": tree_of(largest)}).status == 200
    assert api.get("get_system").status == 200


def test_a_tree_whose_text_is_too_large_is_refused(api: HttpApi) -> None:
    tree: dict[str, Any] = {"id": "p", "content": "x\n" * 500_000}
    for _ in range(90):
        tree = {"id": "c", "children": [tree]}
    assert api.post("put_system", {"tree": {"children": [tree]}}).status == 413
    assert api.get("get_system").etag == '"0"'
