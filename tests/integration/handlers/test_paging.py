"""Each page of a log is a reply that Lambda can carry. A message too large for any reply is refused, not stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from messagelog import AgentMessage, MessageLog, MessageTooLargeError, codec, reply_limit
from messagelog.memory import MemoryStorage
from messagelog.reply_limit import ROOM, check_fits_a_reply, size_of

from tests.support.http_api import PAGED, VIEWS, HttpApi, empty, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Message = dict[str, Any]

HOSTILE = '"\\\0\x1f\x7f\u2028\u2029\ufeff漢😀</script>'


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def call(args: Any, id: str = "c", name: str = "f") -> Message:
    return {"id": id, "name": name, "args": args}


# Messages by how large they are, each in the form that some reply writes largest; with the bytes that one more takes.
KINDS: dict[str, tuple[Callable[[int], Message], int]] = {
    "text": (lambda n: {"role": "user", "content": "a" * n}, 1),
    "NULs": (lambda n: {"role": "user", "content": "\0" * n}, 6),
    "three-byte characters": (lambda n: {"role": "user", "content": "漢" * n}, 3),
    "quotes in args": (lambda n: {"role": "assistant", "content": "", "toolCalls": [call({"a": '"' * n})]}, 4),
    "numbers in text args": (
        lambda n: {"role": "assistant", "content": "", "toolCalls": [call('{"a":[0' + ",1e15" * n + "]}")]},
        19,
    ),
    "an id that only a faithful view keeps": (
        lambda n: {"role": "assistant", "content": "", "toolCalls": [call(['"' * n], "!" * n)]},
        5,
    ),
    "many calls": (lambda n: {"role": "assistant", "content": "", "toolCalls": [call(0, "", "")] * n}, 227),
    "a result": (lambda n: {"role": "tool", "toolCallId": "c", "content": '"' * n}, 2),
}


def fits_a_reply(message: Message) -> bool:
    try:
        check_fits_a_reply(codec.parse(message), "")
    except MessageTooLargeError:
        return False
    return True


def refuse(api: HttpApi, message: Message) -> None:
    """Sees it refused, alone and in a batch, and nothing written."""
    for operation, body in (("append", message), ("append_many", {"messages": [{**message, "content": ""}, message]})):
        reply = api.post(operation, body)
        assert reply.status == 413
        assert "nothing was written" in reply.json["detail"]
    assert api.get("count").json == {"count": 0}


def show_everywhere(api: HttpApi, message: Message) -> None:
    """Stores it, and checks that every read returns it and the message after it."""
    assert api.post("append", message).status == 201
    assert api.post("append", {"role": "user", "content": "after it"}).status == 201
    shown = api.messages()
    assert [stored["seq"] for stored in shown] == [1, 2]
    assert codec.parse(shown[0]) == codec.parse(message)
    assert codec.parse(api.get("last", n=2).json["messages"][-1]) == AgentMessage("user", "after it")
    for view in VIEWS:
        assert api.get(view, faithful="true").status == 200
        content = pages_of(api, view)[-1]["content"]
        assert (content if isinstance(content, str) else content[-1]["text"]) == "after it"


def test_the_ceiling_is_exact(api: HttpApi) -> None:
    """A message of one character less than those that are refused is stored."""
    make = KINDS["text"][0]
    fits, too_much = ROOM - 1_000, ROOM
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        fits, too_much = (middle, too_much) if fits_a_reply(make(middle)) else (fits, middle)
    assert fits > ROOM - 1_000
    refuse(api, make(too_much))
    show_everywhere(api, make(fits))


@pytest.mark.parametrize("kind", KINDS)
def test_the_ceiling_is_that_of_the_form_that_takes_most(api: HttpApi, kind: str) -> None:
    make, step = KINDS[kind]
    below, above = make(int(0.9 * ROOM / step)), make(ROOM // step)
    assert (fits_a_reply(below), fits_a_reply(above)) == (True, False)
    if step < 10:  # to show the others takes long
        refuse(api, above)
        show_everywhere(api, below)


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_is_not_measured_is_far_below_the_limit(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make = KINDS[kind][0]
    step = (size_of(make(2_000)) - size_of(make(1_000))) / 1_000
    monkeypatch.setattr(reply_limit, "ROOM", ROOM * 3 // 4)
    message = make(int(reply_limit._SURELY_FITS / step))
    monkeypatch.setattr(reply_limit, "_SURELY_FITS", 0)
    assert fits_a_reply(message)


def pages_of(api: HttpApi, view: str, **query: Any) -> list[Message]:
    """A view, page by page, past what is too large for a page."""
    found: list[Message] = []
    after: int | None = 0
    while after is not None:
        reply = api.get(view, after=after, **query)
        found += reply.json.get("messages", [])
        assert reply.json["next"] is None or reply.json["next"] > after, "a page that leads nowhere"
        after = reply.json["next"]
    return found


def test_hostile_text_everywhere_is_joined_to_the_whole(api: HttpApi) -> None:
    """In content, names, ids and args; in replies of text and of base64; with small messages between large ones."""
    large = HOSTILE * 10_000
    exchange = [
        {"role": "user", "name": HOSTILE, "content": large},
        {"role": "assistant", "content": HOSTILE, "toolCalls": [call({HOSTILE: large}, HOSTILE, HOSTILE)]},
        {"role": "tool", "content": large, "toolCallId": HOSTILE},
        {"role": "assistant", "content": large},
    ]
    model = MessageLog(MemoryStorage())
    for _ in range(4):
        assert api.post("append_many", {"messages": exchange}).status == 201
        model.append_many(exchange)
    read = api.messages()
    assert [codec.parse(message) for message in read] == [codec.parse(message) for message in exchange] * 4
    assert api.get("all").json["next"] is not None, "several pages"
    for view in VIEWS:
        assert pages_of(api, view) == getattr(model, view)()
        assert pages_of(api, view, faithful="true") == getattr(model, view)(faithful=True)
    last = api.get("last", n=16).json
    assert [codec.parse(message) for message in last["messages"]] == [codec.parse(m) for m in exchange * 4][
        -len(last["messages"]) :
    ]


def test_a_cursor_goes_on_whatever_the_limit(api: HttpApi) -> None:
    """Pages cut by the limit, by the size of a reply, and within a segment."""
    batch = [{"role": "user", "content": f"{number} " + HOSTILE * 3_000} for number in range(110)]
    assert api.post("append_many", {"messages": batch}).status == 201
    whole = api.contents()
    assert whole == [message["content"] for message in batch]
    for limit in (7, 60, 109, 110, 500):
        assert [message["content"] for message in api.messages(limit=limit)] == whole


@pytest.mark.parametrize("operation", PAGED)
def test_a_log_that_no_reply_could_hold_is_never_an_error(api: HttpApi, operation: str) -> None:
    for _ in range(2):
        batch = [{"role": "user", "content": "\0" * 500_000} for _ in range(2)]
        assert api.post("append_many", {"messages": batch}).status == 201
    reply = api.get(operation)
    assert reply.status == 200
    assert reply.json["next"] is not None
    assert reply.json["messages"]
