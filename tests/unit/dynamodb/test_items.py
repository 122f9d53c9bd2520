"""The attributes of a row: files as raw bytes, originals compressed, and no new attribute without files or original."""

from __future__ import annotations

import json
import string
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from messagelog import AgentMessage, File, Original, StoredMessage, ToolCall
from messagelog.dynamodb import items
from messagelog.dynamodb.limits import item_size, with_small_content

from tests.support import strategies
from tests.support.item_sizes import write_units
from tests.support.logs import noise

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
CALL = ToolCall("toolu_1", "search", {"query": "parcels that were not delivered", "limit": 20})
TEXT = "I look for the parcels that were not delivered."


def thinking_turn(signature: str) -> AgentMessage:
    """A turn as Anthropic sends it: a thought, a text and a call."""
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "", "signature": signature},
        {"type": "text", "text": TEXT},
        {"type": "tool_use", "id": CALL.id, "name": CALL.name, "input": CALL.args},
    ]
    return AgentMessage(
        "assistant", TEXT, tool_calls=(CALL,), original=Original("anthropic", blocks, "claude-opus-5-5")
    )


def signature(length: int) -> str:
    """Base64 text of bytes that compression does not shorten."""
    return noise(length, seed=length, alphabet=string.ascii_letters + string.digits + "+/")


def units_of(message: AgentMessage) -> int:
    """The write units of a message's row with a key of usual length."""
    key = {"conversation": {"S": "support-4711"}, "entry": {"S": "msg#000000000042"}, "nonce": {"B": bytes(8)}}
    return write_units(item_size(with_small_content({**key, **items.to_item(message, AT)})))


def test_files_are_a_json_list_and_raw_bytes() -> None:
    files = (
        File("image/png", b"\x89PNG", name="a.png", offset=1),
        File("image/png", url="https://example.com/b.png"),
        File("application/pdf", b"%PDF"),
    )
    item = items.to_item(AgentMessage("user", "hi", files=files), AT)
    assert item == {
        "at": {"N": "1772366400000000"},
        "role": {"S": "user"},
        "content": {"S": "hi"},
        "files": {
            "S": '[{"mediaType":"image/png","name":"a.png","offset":1},'
            '{"mediaType":"image/png","url":"https://example.com/b.png"},{"mediaType":"application/pdf"}]'
        },
        "file0": {"B": b"\x89PNG"},
        "file2": {"B": b"%PDF"},
    }
    assert items.from_item(item, 1).files == files


@pytest.mark.parametrize("lost", ["file0", "content", "tool_calls"])
def test_a_row_that_lost_an_attribute_is_not_read(lost: str) -> None:
    message = replace(thinking_turn("s"), files=(File("image/png", b"x"),))
    item = items.to_item(message, AT)
    del item[lost]
    with pytest.raises((KeyError, zlib.error)):
        items.from_item(item, 1)


def test_an_original_is_compressed_with_content_and_calls() -> None:
    message = thinking_turn("s" * 400)
    item = items.to_item(message, AT)
    dictionary = json.dumps(TEXT) + item["tool_calls"]["S"]
    text = zlib.decompressobj(zdict=dictionary.encode()).decompress(item["original"]["B"])
    assert message.original
    assert json.loads(text) == {
        "api": "anthropic",
        "model": "claude-opus-5-5",
        "blocks": message.original.blocks,
    }
    assert len(item["original"]["B"]) < len(zlib.compress(text)) * 0.8


@given(strategies.stored_messages)
def test_compressed_content_is_read_back_equal(message: StoredMessage) -> None:
    item = items.to_item(message, message.at)
    item["content"] = {"B": zlib.compress(message.content.encode())}
    assert repr(items.from_item(item, message.seq)) == repr(message)


def test_the_size_of_a_row_counts_raw_bytes() -> None:
    plain = AgentMessage("user", "hi")
    one = AgentMessage("user", "hi", files=(File("image/png", b"x"),))
    larger = AgentMessage("user", "hi", files=(File("image/png", b"x" * 1001),))
    assert item_size(items.to_item(larger, AT)) - item_size(items.to_item(one, AT)) == 1000
    added = len("files") + len('[{"mediaType":"image/png"}]') + len("file0") + 1
    assert item_size(items.to_item(one, AT)) - item_size(items.to_item(plain, AT)) == added


@pytest.mark.parametrize(("length", "more"), [(0, 0), (400, 0), (600, 0), (1_200, 1), (6_000, 4)])
def test_the_write_units_of_a_short_thinking_turn(length: int, more: int) -> None:
    """Compression shortens a base64 signature to three quarters, and the rest of the original to about 120 bytes."""
    plain = AgentMessage("assistant", TEXT, tool_calls=(CALL,))
    assert units_of(plain) == 1
    assert units_of(thinking_turn(signature(length))) == 1 + more


def test_content_is_compressed_next_to_an_original() -> None:
    """An original that repeats the content is small, whether the content is compressed or not."""
    text = "All work and no play makes a long text. " * 100
    blocks: list[Any] = [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": text}]
    message = AgentMessage("assistant", text, original=Original("anthropic", blocks))
    row = with_small_content(items.to_item(message, AT))
    assert list(row["content"]) == ["B"]
    assert len(row["original"]["B"]) < 200
    assert items.from_item(row, 1) == StoredMessage.of(message, seq=1, at=AT)
