"""DynamoDB's measure: sizes never under its own, and content compressed exactly where that saves a write unit."""

from __future__ import annotations

import random
import string
import zlib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messagelog.dynamodb import limits
from messagelog.dynamodb.limits import fit_one_transaction, item_size, with_small_content

KEY = {"conversation": {"S": "c1"}, "entry": {"S": "msg#000000000001"}}
LONGEST_KEY = {"conversation": {"S": "x" * 2048}, "entry": {"S": "key#" + "0" * 64}}


def dynamodb_size(item: dict[str, dict[str, Any]]) -> int:
    """An item's size by the words of "DynamoDB item sizes and formats", counted anew."""
    size = 0
    for name, value in item.items():
        size += len(name.encode("utf-8"))
        ((kind, data),) = value.items()
        if kind == "S":
            size += len(data.encode("utf-8"))
        elif kind == "B":
            size += len(data)
        else:  # "(number of UTF-8 bytes of attribute name) + (1 byte per two significant digits) + (1 byte)"
            significant = data.lstrip("-").strip("0") or "0"
            size += -(-len(significant) // 2) + 1 + data.startswith("-")
    return size


def noise(length: int, seed: int = 0) -> str:
    return "".join(random.Random(seed).choices(string.printable, k=length))


def row(content: str) -> dict[str, Any]:
    return {**KEY, "at": {"N": "1796035472092282"}, "role": {"S": "user"}, "content": {"S": content}}


def units(item: dict[str, Any]) -> int:
    return -(-item_size(item) // 1024)


values = (
    st.text().map(lambda text: {"S": text})
    | st.binary().map(lambda data: {"B": data})
    | st.integers(-(10**37), 10**37).map(lambda number: {"N": str(number)})
)


@given(st.dictionaries(st.text(min_size=1), values))
def test_an_item_is_never_smaller_than_dynamodb_counts(item: dict[str, Any]) -> None:
    assert dynamodb_size(item) <= item_size(item) <= dynamodb_size(item) + 40 * len(item)


def test_sizes_are_of_bytes_and_not_of_characters() -> None:
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
def test_content_is_compressed_exactly_where_that_saves_a_write_unit(text: str) -> None:
    plain = row(text)
    compressed = {**plain, "content": {"B": zlib.compress(text.encode())}}
    chosen = with_small_content(plain)
    if units(compressed) < units(plain):
        assert chosen == compressed
    else:
        assert chosen == plain, "as text it can be read in the console"


@pytest.mark.parametrize(("bytes_over", "kind"), [(-1, "S"), (0, "S"), (1, "B"), (2, "B")])
def test_the_border_of_a_unit_is_that_of_1024_bytes(bytes_over: int, kind: str) -> None:
    """Text that shrinks a little is worth it by the very byte that begins another unit."""
    room = 1024 - item_size(row(""))
    (chosen,) = with_small_content(row("ab" * ((room + bytes_over) // 2) + "c" * ((room + bytes_over) % 2)))["content"]
    assert chosen == kind


def test_text_that_shrinks_within_its_unit_stays_text() -> None:
    text = noise(1_900)
    assert len(zlib.compress(text.encode())) < 0.9 * len(text)
    assert with_small_content(row(text))["content"] == {"S": text}


def filled(size: int) -> dict[str, Any]:
    """A row of exactly so many bytes."""
    return row("x" * (size - item_size(row(""))))


def test_a_row_may_take_400_kb() -> None:
    assert fit_one_transaction([filled(400 * 1024)], others=1)
    assert not fit_one_transaction([filled(400 * 1024 + 1)], others=1)


@pytest.mark.parametrize("others", [1, 2, 52])
def test_a_transaction_holds_100_actions(others: int) -> None:
    assert fit_one_transaction([row("x")] * (100 - others), others=others)
    assert not fit_one_transaction([row("x")] * (100 - others + 1), others=others)


def test_what_fits_leaves_room_for_all_other_actions_at_their_longest() -> None:
    """A transaction holds 4 MB. The most is looked for by halving."""
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
    assert used > 3 * 1024 * 1024, "and is not cut into a segment sooner than it must be"


def test_write_units_are_those_of_the_table_of_prices() -> None:
    assert [limits._write_units(size) for size in (1, 1024, 1025, 2048, 2049)] == [1, 1, 2, 2, 3]
