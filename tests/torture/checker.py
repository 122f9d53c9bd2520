"""The promises of the log, checked against a history and the logs that are stored at its end.

`violations_in` states the promises again, apart from the library: it knows nothing of tables, counters or keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby

from tests.torture.history import Begin, End, History, Read, digest_of

Logs = Mapping[str, Sequence[tuple[int, str]]]
"""For each conversation, the seq and content of each stored message, in the order of a read."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise."""

    promise: str
    detail: str

    def __str__(self) -> str:
        return f"{self.promise}: {self.detail}"


def violations_in(history: History, logs: Logs) -> list[Violation]:
    """Returns every broken promise.

    Args:
        history: All appends that were begun, with any outcome or none, and all reads.
        logs: The messages that are stored at the end.
    """
    found: list[Violation] = []
    for conversation, log in logs.items():
        begins = [begin for begin in history.begins if begin.conversation == conversation]
        found += _gaps(conversation, log)
        found += _unknown_messages(log, begins)
        seqs_of = _seqs_by_append(log, begins)
        for begin in begins:
            found += _broken_appends(begin, history.ends.get(begin.append), seqs_of[begin.append])
        found += _writers_out_of_order(begins, seqs_of)
        found += _appends_out_of_order(begins, history.ends, seqs_of)
        reads = [read for read in history.reads if read.conversation == conversation]
        found += _wrong_reads(reads, log, begins, seqs_of)
        found += _stale_reads(reads, [end for begin in begins if (end := history.ends.get(begin.append))])
    found += [Violation("no read shows a hole", f"{hole.conversation}: {hole.seqs}") for hole in history.holes]
    return found


def _gaps(conversation: str, log: Sequence[tuple[int, str]]) -> Iterator[Violation]:
    seqs = [seq for seq, _ in log]
    if seqs != list(range(1, len(seqs) + 1)):
        yield Violation("seqs are 1, 2, 3 … without a gap", conversation)


def _unknown_messages(log: Sequence[tuple[int, str]], begins: Sequence[Begin]) -> Iterator[Violation]:
    known = {content for begin in begins for content in begin.contents}
    for seq, content in log:
        if content not in known:
            yield Violation("the log holds only appended messages", f"{seq}: {content}")


def _seqs_by_append(log: Sequence[tuple[int, str]], begins: Sequence[Begin]) -> dict[str, list[int]]:
    """For each append, the seqs of its messages in the order of the log."""
    append_of = {content: begin.append for begin in begins for content in begin.contents}
    places: dict[str, list[int]] = {begin.append: [] for begin in begins}
    for seq, content in log:
        if content in append_of:
            places[append_of[content]].append(seq)
    return places


def _broken_appends(begin: Begin, end: End | None, seqs: list[int]) -> Iterator[Violation]:
    size = len(begin.contents)
    if len(seqs) > size:
        yield Violation("no append is stored twice", f"{begin.append} at {seqs}")
    elif 0 < len(seqs) < size:
        yield Violation("a batch is stored whole", f"{begin.append} at {seqs}, not {size} messages")
    elif seqs and seqs != list(range(seqs[0], seqs[0] + size)):
        yield Violation("a batch is contiguous", f"{begin.append} at {seqs}")
    if end is None:
        return
    if end.outcome == "acknowledged" and end.seq != (seqs[-1] if seqs else None):
        yield Violation("an acknowledged append is stored at its seq", f"{begin.append} at {seqs}, not {end.seq}")
    if end.outcome == "refused" and seqs:
        yield Violation("a refused append is not stored", f"{begin.append} at {seqs}")
    if end.outcome == "acknowledged" and begin.expected_count is not None and end.seq != begin.expected_count + size:
        yield Violation("an expected count holds", f"{begin.append} at {end.seq}, not after {begin.expected_count}")


def _writers_out_of_order(begins: Sequence[Begin], seqs_of: Mapping[str, list[int]]) -> Iterator[Violation]:
    """A writer ends each append before it begins the next one."""
    by_writer = sorted(begins, key=lambda begin: (begin.writer, begin.at))
    for writer, own in groupby(by_writer, key=lambda begin: begin.writer):
        seqs = [seqs_of[begin.append][0] for begin in own if seqs_of[begin.append]]
        if seqs != sorted(seqs):
            yield Violation("the appends of a writer are in order", writer)


def _appends_out_of_order(
    begins: Sequence[Begin], ends: Mapping[str, End], seqs_of: Mapping[str, list[int]]
) -> Iterator[Violation]:
    """An append that was acknowledged before another began has the lower seqs."""
    pending: list[tuple[float, int]] = []
    highest = 0
    for begin in sorted(begins, key=lambda begin: begin.at):
        while pending and pending[0][0] < begin.at:
            highest = max(highest, heappop(pending)[1])
        seqs = seqs_of[begin.append]
        if seqs and seqs[0] <= highest:
            yield Violation("seqs follow the order of time", f"{begin.append} at {seqs[0]}, after {highest} was stored")
        end = ends.get(begin.append)
        if seqs and end is not None and end.outcome == "acknowledged":
            heappush(pending, (end.at, seqs[-1]))


def _wrong_reads(
    reads: Sequence[Read], log: Sequence[tuple[int, str]], begins: Sequence[Begin], seqs_of: Mapping[str, list[int]]
) -> Iterator[Violation]:
    contents = [content for _, content in log]
    inside = {seq for begin in begins for seq in seqs_of[begin.append][:-1]}
    for read in reads:
        if digest_of(contents[read.first - 1 : read.last]) != read.digest:
            yield Violation("a read shows the stored messages", f"{read.first} to {read.last}")
        if read.last in inside:
            yield Violation("no read shows a part of a batch", f"{read.first} to {read.last}")


def _stale_reads(reads: Sequence[Read], ends: Sequence[End]) -> Iterator[Violation]:
    """A read shows all messages that were acknowledged, or shown by another read, before it began."""
    seen = [(read.at, read.last) for read in reads]
    seen += [(end.at, end.seq) for end in ends if end.outcome == "acknowledged" and end.seq is not None]
    seen.sort(reverse=True)
    highest = 0
    for read in sorted(reads, key=lambda read: read.begun):
        while seen and seen[-1][0] < read.begun:
            highest = max(highest, seen.pop()[1])
        if read.last < highest:
            yield Violation("reads never go back", f"to {read.last}, after {highest} was stored")
