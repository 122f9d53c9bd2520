"""What must be true of a history and of the logs that are there at its end.

`violations_in` is the whole promise of the log, said once more in other words than the library's: it knows nothing of
tables, counters or keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby

from tests.torture.history import Begin, End, History, Read, digest_of

Logs = Mapping[str, Sequence[tuple[int, str]]]
"""Of each conversation what is there at the end: seq and content, in the order of a read."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise."""

    promise: str
    detail: str

    def __str__(self) -> str:
        return f"{self.promise}: {self.detail}"


def violations_in(history: History, logs: Logs) -> list[Violation]:
    """Everything that must not be. The history holds all appends that were begun, whatever became of them."""
    found: list[Violation] = []
    for conversation, log in logs.items():
        begins = [begin for begin in history.begins if begin.conversation == conversation]
        found += _of_seqs(conversation, log)
        found += _of_strangers(log, begins)
        placed = _places(log, begins)
        for begin in begins:
            found += _of_append(begin, history.ends.get(begin.append), placed[begin.append])
        found += _of_writers(begins, placed)
        found += _of_time(begins, history.ends, placed)
        reads = [read for read in history.reads if read.conversation == conversation]
        found += _of_reads(reads, log, begins, placed)
        found += _of_freshness(reads, [end for begin in begins if (end := history.ends.get(begin.append))])
    found += [Violation("no read shows a hole", f"{hole.conversation}: {hole.seqs}") for hole in history.holes]
    return found


def _of_seqs(conversation: str, log: Sequence[tuple[int, str]]) -> Iterator[Violation]:
    seqs = [seq for seq, _ in log]
    if seqs != list(range(1, len(seqs) + 1)):
        yield Violation("seqs are 1, 2, 3 … without a gap", conversation)


def _of_strangers(log: Sequence[tuple[int, str]], begins: Sequence[Begin]) -> Iterator[Violation]:
    known = {content for begin in begins for content in begin.contents}
    for seq, content in log:
        if content not in known:
            yield Violation("nothing is there that nobody appended", f"{seq}: {content}")


def _places(log: Sequence[tuple[int, str]], begins: Sequence[Begin]) -> dict[str, list[int]]:
    """Of each append the seqs of its messages, in the order of the log."""
    append_of = {content: begin.append for begin in begins for content in begin.contents}
    places: dict[str, list[int]] = {begin.append: [] for begin in begins}
    for seq, content in log:
        if content in append_of:
            places[append_of[content]].append(seq)
    return places


def _of_append(begin: Begin, end: End | None, seqs: list[int]) -> Iterator[Violation]:
    size = len(begin.contents)
    if len(seqs) > size:
        yield Violation("no append is there twice", f"{begin.append} at {seqs}")
    elif 0 < len(seqs) < size:
        yield Violation("batches are whole", f"{begin.append} at {seqs}, not {size} messages")
    elif seqs and seqs != list(range(seqs[0], seqs[0] + size)):
        yield Violation("batches are contiguous", f"{begin.append} at {seqs}")
    if end is None:
        return
    if end.outcome == "acknowledged" and end.seq != (seqs[-1] if seqs else None):
        yield Violation("what is acknowledged is there, at its seq", f"{begin.append} at {seqs}, not {end.seq}")
    if end.outcome == "refused" and seqs:
        yield Violation("what is refused is not there", f"{begin.append} at {seqs}")
    if end.outcome == "acknowledged" and begin.expected_count is not None and end.seq != begin.expected_count + size:
        yield Violation("an expected count is kept", f"{begin.append} at {end.seq}, not behind {begin.expected_count}")


def _of_writers(begins: Sequence[Begin], placed: Mapping[str, list[int]]) -> Iterator[Violation]:
    """A writer does one append after the other."""
    by_writer = sorted(begins, key=lambda begin: (begin.writer, begin.at))
    for writer, own in groupby(by_writer, key=lambda begin: begin.writer):
        seqs = [placed[begin.append][0] for begin in own if placed[begin.append]]
        if seqs != sorted(seqs):
            yield Violation("each writer's appends keep their order", writer)


def _of_time(begins: Sequence[Begin], ends: Mapping[str, End], placed: Mapping[str, list[int]]) -> Iterator[Violation]:
    """An append that was acknowledged before another began has the lower seqs."""
    pending: list[tuple[float, int]] = []
    highest = 0
    for begin in sorted(begins, key=lambda begin: begin.at):
        while pending and pending[0][0] < begin.at:
            highest = max(highest, heappop(pending)[1])
        seqs = placed[begin.append]
        if seqs and seqs[0] <= highest:
            yield Violation("seqs keep the order of time", f"{begin.append} at {seqs[0]}, after {highest} was there")
        end = ends.get(begin.append)
        if seqs and end is not None and end.outcome == "acknowledged":
            heappush(pending, (end.at, seqs[-1]))


def _of_reads(
    reads: Sequence[Read], log: Sequence[tuple[int, str]], begins: Sequence[Begin], placed: Mapping[str, list[int]]
) -> Iterator[Violation]:
    contents = [content for _, content in log]
    inside = {seq for begin in begins for seq in placed[begin.append][:-1]}
    for read in reads:
        if digest_of(contents[read.first - 1 : read.last]) != read.digest:
            yield Violation("a read shows what stays", f"{read.first} to {read.last}")
        if read.last in inside:
            yield Violation("no read shows a part of a batch", f"{read.first} to {read.last}")


def _of_freshness(reads: Sequence[Read], ends: Sequence[End]) -> Iterator[Violation]:
    """A read sees what was acknowledged before it began, and what a read before it saw."""
    seen = [(read.at, read.last) for read in reads]
    seen += [(end.at, end.seq) for end in ends if end.outcome == "acknowledged" and end.seq is not None]
    seen.sort(reverse=True)
    highest = 0
    for read in sorted(reads, key=lambda read: read.begun):
        while seen and seen[-1][0] < read.begun:
            highest = max(highest, seen.pop()[1])
        if read.last < highest:
            yield Violation("reads go forward", f"to {read.last}, after {highest} was there")
