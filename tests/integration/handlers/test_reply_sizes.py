"""Every reply is one that Lambda carries, whatever the messages hold, and the pages joined are the whole log.

`HttpApi` measures each reply as Lambda's runtime writes it. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.http_api import HttpApi, empty, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CONTENTS = {"quotes": '"', "nul": "\0", "delete": "\x7f", "mixed": 'a"\\\0\x7f\u2028é語😀'}


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def fill(api: HttpApi, text: str) -> list[str]:
    """More messages than a reply can hold, each of nearly the size that an item can have."""
    contents = [f"{number}{text * (400_000 // len(text.encode()))}" for number in range(13)]
    for start in (0, 7):
        batch = [{"role": "user", "content": content} for content in contents[start : start + 7]]
        assert api.post("append_many", {"messages": batch}).status == 201
    return contents


@pytest.mark.parametrize("text", CONTENTS.values(), ids=CONTENTS)
def test_a_log_larger_than_a_reply_is_read_whole(api: HttpApi, text: str) -> None:
    contents = fill(api, text)
    first = api.get("all")
    assert first.json["next"] == len(first.json["messages"]), "it is cut"
    assert first.etag is None, "it does not show the end"
    assert api.contents() == contents
    for limit in range(1, 6):
        assert len(api.get("all", limit=limit).json["messages"]) in range(1, limit + 1)


@pytest.mark.parametrize("text", CONTENTS.values(), ids=CONTENTS)
def test_of_the_last_n_the_newest_are_kept(api: HttpApi, text: str) -> None:
    contents = fill(api, text)
    reply = api.get("last", n=12)
    kept = [message["content"] for message in reply.json["messages"]]
    assert 0 < len(kept) < 12
    assert kept == contents[-len(kept) :]
    assert reply.etag == '"13"', "it shows the end"
    following = api.get("all", after=reply.json["next"]).json["messages"]
    assert following[0]["seq"] == 2, "`next` leads to the first of the last n"
    assert api.get("last").json["message"]["content"] == contents[-1]


def test_a_reply_is_cut_no_sooner_than_it_must(api: HttpApi) -> None:
    """Ten messages of 400 kB fit in base64."""
    fill(api, "a")
    assert len(api.get("all").json["messages"]) >= 10
    assert len(api.get("last", n=13).json["messages"]) >= 10
    assert api.get("all", limit=10).json["next"] == 10
    assert api.get("all", limit=13).json["next"] < 13
