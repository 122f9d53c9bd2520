"""Files and originals over HTTP: every read gives back what an append was given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.http_api import HttpApi, empty, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

IMAGE = {"mediaType": "image/png", "data": "iVBORw==", "name": "a.png", "offset": 3}
LINK = {"mediaType": "application/pdf", "url": "https://example.com/a.pdf"}
ORIGINAL = {"api": "anthropic", "model": "claude-opus-5-5", "blocks": [{"type": "thinking", "signature": "s"}]}
BATCH: list[dict[str, Any]] = [
    {"role": "user", "content": "A: ?", "files": [IMAGE, LINK]},
    {"role": "assistant", "content": "A cat.", "original": ORIGINAL},
]


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def shown(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in message.items() if name not in ("seq", "at")} for message in messages]


def test_files_and_originals_come_back(api: HttpApi) -> None:
    for message in BATCH:
        assert api.post("append", message).status == 201
    assert api.post("append_many", {"messages": BATCH}).status == 201
    assert shown(api.get("all").json["messages"]) == BATCH * 2
    assert shown(api.get("last", n=2).json["messages"]) == BATCH
    assert shown([api.get("last").json["message"]]) == BATCH[1:]


@pytest.mark.parametrize("view", ["to_openai", "to_anthropic", "to_bedrock", "to_langchain"])
def test_a_view_shows_words_in_the_place_of_a_file(api: HttpApi, view: str) -> None:
    assert api.post("append_many", {"messages": BATCH}).status == 201
    shown = json.dumps(api.get(view).json)
    assert shown.count("not shown, since this view shows no files]") == sum(len(m.get("files", ())) for m in BATCH)


def test_an_invalid_file_is_named_with_its_path(api: HttpApi) -> None:
    message = {"role": "user", "content": "hi", "files": [LINK, {**LINK, "url": "ftp://example.com"}]}
    for operation, body, path in (("append", message, ""), ("append_many", {"messages": [message]}, "messages[0].")):
        reply = api.post(operation, body)
        assert reply.status == 422
        assert [error["path"] for error in reply.json["errors"]] == [f"{path}files[1].url"]
    assert api.get("count").json == {"count": 0}


def test_blocks_nest_as_deep_as_args(api: HttpApi) -> None:
    def status(levels: int) -> int:
        blocks = "[" * levels + "]" * levels
        original = f'{{"api": "x", "blocks": {blocks}}}'
        return api.post("append", f'{{"role": "assistant", "content": "", "original": {original}}}').status

    assert status(200) == 201
    assert [status(levels) for levels in (201, 202, 1_000)] == [422, 400, 400]
    assert len(api.messages()) == 1


def test_an_idempotency_key_covers_files_and_originals(api: HttpApi) -> None:
    def status(message: dict[str, Any], key: str) -> int:
        return api.post("append", message, headers={"idempotency-key": key}).status

    user, assistant = BATCH
    assert [status(user, "k1"), status(user, "k1")] == [201, 201]
    assert status({**user, "files": [{**IMAGE, "data": "AAAA"}, LINK]}, "k1") == 409
    assert [status(assistant, "k2"), status({**assistant, "original": {**ORIGINAL, "model": "x"}}, "k2")] == [201, 409]
    assert api.get("count").json == {"count": 2}


def test_an_image_of_3_4_mb_travels_in_one_reply(api: HttpApi) -> None:
    data = "ABCD" * (3_400_000 // 3)
    message = {"role": "user", "content": "see", "files": [{"mediaType": "image/png", "data": data}]}
    assert api.post("append", message).status == 201
    assert shown(api.get("all").json["messages"]) == [message]
    assert shown([api.get("last").json["message"]]) == [message]


def test_a_larger_file_is_refused_with_the_way_out(api: HttpApi) -> None:
    data = "ABCD" * 1_200_000
    message = {"role": "user", "content": "see", "files": [{"mediaType": "image/png", "data": data}]}
    reply = api.post("append", message)
    assert reply.status == 413
    assert "put the file where the model can fetch it, and append its `url`" in reply.json["detail"]
    assert api.get("count").json == {"count": 0}
