"""Segments: packed messages come out unchanged, and an index leads to exactly the blocks of the wanted messages."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messagelog import AgentMessage, codec
from messagelog.dynamodb import limits, segments
from messagelog.dynamodb.segments import Index

from tests.support import strategies
from tests.support.logs import CJK, noise


def unpacked(index: Index, parts: list[bytes]) -> list[str]:
    """The lines of all blocks, one block after the other."""
    return [line for block in range(len(index.offsets) - 1) for line in lines_of(index, parts, block)]


def lines_of(index: Index, parts: list[bytes], block: int) -> list[str]:
    return segments.unpack(parts[index.parts[block] : index.parts[block + 1]])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    batch=st.lists(strategies.messages, min_size=1, max_size=30),
    block=st.integers(1, 400),
    part=st.integers(1, 200),
)
def test_packed_messages_come_out_unchanged(
    batch: list[AgentMessage], block: int, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds for any message, also with line ends in it, and for any size of blocks and parts."""
    monkeypatch.setattr(segments, "_BLOCK_BYTES", block)
    monkeypatch.setattr(segments, "_PART_BYTES", part)
    index, parts = segments.pack(batch)
    assert unpacked(index, parts) == [codec.to_line(message) for message in batch]
    assert all(0 < len(data) <= part for data in parts)
    assert Index.from_text(index.to_text()) == index
    assert (index.offsets[0], index.offsets[-1], index.parts[0], index.parts[-1]) == (0, len(batch), 0, len(parts))
    for number, (start, end) in enumerate(zip(index.offsets, index.offsets[1:], strict=False)):
        assert lines_of(index, parts, number) == [codec.to_line(message) for message in batch[start:end]]


@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=8),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_an_index_finds_the_blocks_of_the_wanted_messages(sizes: list[int], ends: tuple[float, float]) -> None:
    offsets = tuple(sum(sizes[:number]) for number in range(len(sizes) + 1))
    first, last = sorted(round(end * (offsets[-1] - 1)) for end in ends)
    wanted = range(first, last + 1)
    holding = [block for block in range(len(sizes)) if set(wanted) & set(range(offsets[block], offsets[block + 1]))]
    assert list(Index(offsets, offsets).blocks(first, last)) == holding


def test_a_block_is_small_and_a_part_fits_an_item() -> None:
    batch = [AgentMessage("user", noise(2_000, seed, CJK)) for seed in range(400)]
    index, parts = segments.pack(batch)
    blocks = len(index.offsets) - 1
    assert blocks > 2, "a reader can read the end of a batch alone"
    longest = max(sum(map(len, lines_of(index, parts, block))) for block in range(blocks))
    assert longest <= segments._BLOCK_BYTES
    room = limits.ITEM_BYTES - 2048 - len("conversationentrydata") - len("seg#") - 32 - len("#000000")
    assert max(map(len, parts)) <= room, "a part fits into an item that has the longest partition key"


def test_a_huge_message_is_one_block_in_several_parts() -> None:
    small, huge = AgentMessage("user", "small"), AgentMessage("user", noise(1_000_000, alphabet=CJK))
    index, parts = segments.pack([small, huge, small])
    assert index.offsets == (0, 1, 2, 3)
    assert index.parts[2] - index.parts[1] > 3
    assert segments.unpack(parts[index.parts[1] : index.parts[2]]) == [codec.to_line(huge)]


def test_repeated_text_needs_little_space() -> None:
    _, parts = segments.pack([AgentMessage("user", "all work and no play " * 150_000)])
    assert sum(map(len, parts)) < 20_000


def test_the_index_of_a_long_batch_is_small() -> None:
    index, _ = segments.pack([AgentMessage("user", "")] * 200_000)
    assert len(index.to_text()) < limits.ITEM_BYTES // 100
