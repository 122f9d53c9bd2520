"""Sizes are never below DynamoDB's own, and content is compressed exactly where that saves a write unit."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messagelog.dynamodb import limits
from messagelog.dynamodb.limits import fit_one_transaction, item_size, with_small_content

from tests.support.item_sizes import dynamodb_size, write_units
from tests.support.logs import noise

KEY = {"conversation": {"S": "c1"}, "entry": {"S": "msg#000000000001"}}
LONGEST_KEY = {"conversation": {"S": "x" * 2048}, "entry": {"S": "key#" + "0" * 64}}


def row(content: str) -> dict[str, Any]:
    return {**KEY, "at": {"N": "1796035472092282"}, "role": {"S": "user"}, "content": {"S": content}}


def units_of(item: dict[str, Any]) -> int:
    return write_units(item_size(item))


values = (
    st.text().map(lambda text: {"S": text})
    | st.binary().map(lambda data: {"B": data})
    | st.integers(-(10**37), 10**37).map(lambda number: {"N": str(number)})
)


@given(st.dictionaries(st.text(min_size=1), values))
def test_an_item_is_never_counted_smaller_than_dynamodb_does(item: dict[str, Any]) -> None:
    assert dynamodb_size(item) <= item_size(item) <= dynamodb_size(item) + 40 * len(item)


def test_sizes_count_bytes_not_characters() -> None:
    assert item_size({"内": {"S": "漢字"}}) == 9
    assert item_size({"b": {"B": b"123"}}) == 4
    assert item_size({}) == 0


@given(
    text=st.text(max_size=300)
    | st.text(alphabet="ab", max_size=30).map(lambda text: text * 200)
    | st.builds(noise, st.integers(800, 4_200), st.integers(0, 50))
)
@example("x" * 1024 * 1024)
@example("漢" * 130_000)
def test_content_is_compressed_where_it_saves_a_write_unit(text: str) -> None:
    plain = row(text)
    compressed = {**plain, "content": {"B": zlib.compress(text.encode())}}
    chosen = with_small_content(plain)
    if units_of(compressed) < units_of(plain):
        assert chosen == compressed
    else:
        assert chosen == plain, "text can be read in the console"


@pytest.mark.parametrize(("bytes_over", "kind"), [(-1, "S"), (0, "S"), (1, "B"), (2, "B")])
def test_a_write_unit_ends_at_1024_bytes(bytes_over: int, kind: str) -> None:
    """One byte over the border is enough to make compression worth it."""
    room = 1024 - item_size(row(""))
    (chosen,) = with_small_content(row("ab" * ((room + bytes_over) // 2) + "c" * ((room + bytes_over) % 2)))["content"]
    assert chosen == kind


def test_content_stays_text_if_compression_saves_no_unit() -> None:
    text = noise(1_900)
    assert len(zlib.compress(text.encode())) < 0.9 * len(text)
    assert with_small_content(row(text))["content"] == {"S": text}


def filled(size: int) -> dict[str, Any]:
    """A row of exactly this many bytes."""
    return row("x" * (size - item_size(row(""))))


def test_a_row_holds_at_most_400_kb() -> None:
    assert fit_one_transaction([filled(400 * 1024)], others=1)
    assert not fit_one_transaction([filled(400 * 1024 + 1)], others=1)


@pytest.mark.parametrize("others", [1, 2, 52])
def test_a_transaction_holds_at_most_100_actions(others: int) -> None:
    assert fit_one_transaction([row("x")] * (100 - others), others=others)
    assert not fit_one_transaction([row("x")] * (100 - others + 1), others=others)


def test_a_transaction_leaves_room_for_all_other_actions() -> None:
    """A transaction holds 4 MB. A binary search finds the largest row that fits."""
    full = [filled(399 * 1024)] * 8
    fits, too_much = 300, 400 * 1024
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        if fit_one_transaction([*full, filled(middle)], others=52):
            fits = middle
        else:
            too_much = middle
    others = 52 * item_size({**LONGEST_KEY, "digest": {"S": "0" * 64}, "seq": {"N": "9" * 12}})
    used = sum(map(item_size, full)) + fits
    assert used + others <= 4 * 1024 * 1024
    assert used > 3 * 1024 * 1024, "a batch becomes a segment only if it must"


def test_a_write_unit_is_begun_each_1024_bytes() -> None:
    assert [limits._write_units(size) for size in (1, 1024, 1025, 2048, 2049)] == [1, 1, 2, 2, 3]
