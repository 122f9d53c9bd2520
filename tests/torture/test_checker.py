"""The checker finds every kind of violation, and finds none in a good history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.torture.checker import violations_in
from tests.torture.history import Begin, End, Fault, History, Hole, Journal, Outcome, Read, digest_of, history_in

Log = list[tuple[int, str]]


class Story:
    """A history that a test tells event by event, and the log that results from it."""

    def __init__(self) -> None:
        self.history = History()
        self.log: Log = []
        self.time = 0.0

    def tick(self) -> float:
        self.time += 1
        return self.time

    def begin(self, append: str, writer: str = "w1", size: int = 1, expected_count: int | None = None) -> Begin:
        contents = tuple(f"{append}.{part}" for part in range(size))
        begin = Begin(append, writer, "c1", contents, None, expected_count, self.tick())
        self.history.add(begin)
        return begin

    def commit(self, begin: Begin) -> int:
        for content in begin.contents:
            self.log.append((len(self.log) + 1, content))
        return len(self.log)

    def end(self, begin: Begin, outcome: Outcome, seq: int | None = None) -> None:
        self.history.add(End(begin.append, outcome, seq, self.tick()))

    def append(self, append: str, writer: str = "w1", size: int = 1) -> None:
        begin = self.begin(append, writer, size)
        self.end(begin, "acknowledged", self.commit(begin))

    def read(self, first: int = 1) -> None:
        contents = [content for _, content in self.log[first - 1 :]]
        self.history.add(Read("c1", first, len(self.log), digest_of(contents), self.tick(), self.tick()))

    def broken(self) -> set[str]:
        """The promises that are broken."""
        return {violation.promise for violation in violations_in(self.history, {"c1": self.log})}


@pytest.fixture
def story() -> Story:
    """Appends of every outcome, several writers, batches and reads. Two appends overlap and commit in reverse order."""
    story = Story()
    story.read()
    story.append("a")
    story.append("b", size=3)
    story.read()
    one, other = story.begin("c"), story.begin("d", "w2")
    for begin in (other, one):
        story.commit(begin)
    story.end(one, "acknowledged", 6)
    story.end(other, "unknown")
    story.read(first=5)
    story.end(story.begin("e", "w2"), "refused")
    story.end(story.begin("f", "w2"), "unknown")
    story.commit(story.begin("g", "w3", size=2))
    story.begin("h", "w4")
    story.read(first=2)
    story.end(story.begin("i", "w2", expected_count=4), "refused")
    begin = story.begin("j", "w2", expected_count=8)
    story.end(begin, "acknowledged", story.commit(begin))
    return story


def renumbered(contents: Sequence[str]) -> Log:
    return list(enumerate(contents, 1))


def contents(story: Story) -> list[str]:
    return [content for _, content in story.log]


def test_a_good_history_has_no_violations(story: Story) -> None:
    assert contents(story) == ["a.0", "b.0", "b.1", "b.2", "d.0", "c.0", "g.0", "g.1", "j.0"]
    assert story.broken() == set()


def test_a_gap_is_found(story: Story) -> None:
    story.log[-1] = (10, "j.0")
    assert "seqs are 1, 2, 3 … without a gap" in story.broken()


def test_a_seq_that_was_given_twice_is_found(story: Story) -> None:
    story.log[-1] = (8, "j.0")
    assert "seqs are 1, 2, 3 … without a gap" in story.broken()


def test_a_message_that_nobody_appended_is_found(story: Story) -> None:
    story.log.append((10, "z.0"))
    assert story.broken() == {"the log holds only appended messages"}


def test_a_lost_acknowledged_append_is_found(story: Story) -> None:
    story.log.pop()
    assert story.broken() == {"an acknowledged append is stored at its seq"}


def test_an_append_at_another_seq_than_returned_is_found(story: Story) -> None:
    end = story.history.ends["j"]
    story.history.ends["j"] = replace(end, seq=8)
    assert "an acknowledged append is stored at its seq" in story.broken()


@pytest.mark.parametrize("append", ["a", "c", "d", "g"])
def test_an_append_that_is_stored_twice_is_found(story: Story, append: str) -> None:
    """This holds also for an append of unknown outcome, and for one that was cut off."""
    story.log = renumbered([*contents(story), *(content for content in contents(story) if content[0] == append)])
    assert "no append is stored twice" in story.broken()


@pytest.mark.parametrize("missing", ["b.0", "b.1", "b.2", "g.0", "g.1"])
def test_a_part_of_a_batch_is_found(story: Story, missing: str) -> None:
    story.log = renumbered([content for content in contents(story) if content != missing])
    assert "a batch is stored whole" in story.broken()


def test_a_batch_with_a_foreign_message_inside_is_found(story: Story) -> None:
    story.log = renumbered(["a.0", "b.0", "b.1", "d.0", "b.2", "c.0", "g.0", "g.1", "j.0"])
    assert "a batch is contiguous" in story.broken()


def test_a_batch_in_another_order_is_found(story: Story) -> None:
    story.log = renumbered(["a.0", "b.0", "b.2", "b.1", "d.0", "c.0", "g.0", "g.1", "j.0"])
    assert story.broken() >= {"a read shows the stored messages"}


def test_a_refused_append_that_is_stored_is_found(story: Story) -> None:
    story.log.append((10, "e.0"))
    assert "a refused append is not stored" in story.broken()


def test_a_broken_expected_count_is_found(story: Story) -> None:
    begin = story.history.begins[-1]
    story.history.begins[-1] = replace(begin, expected_count=7)
    assert story.broken() == {"an expected count holds"}


def test_a_writer_out_of_order_is_found(story: Story) -> None:
    story.commit(story.begin("y", "w9"))
    begin = story.history.begins.pop()
    story.commit(story.begin("x", "w9"))
    story.history.add(replace(begin, at=story.tick()))
    assert story.broken() == {"the appends of a writer are in order"}


def test_an_append_before_an_earlier_one_is_found(story: Story) -> None:
    late = story.begin("x", "w9")
    story.log = renumbered([*contents(story)[:-1], "x.0", "j.0"])
    story.history.ends["j"] = replace(story.history.ends["j"], seq=10)
    story.history.ends["x"] = End("x", "acknowledged", 9, story.tick())
    assert late.at > story.history.ends["j"].at
    assert story.broken() >= {"seqs follow the order of time"}


def test_a_read_of_other_messages_is_found(story: Story) -> None:
    read = story.history.reads[-1]
    story.history.reads[-1] = replace(read, digest=digest_of(["something", "else"]))
    assert story.broken() == {"a read shows the stored messages"}


@pytest.mark.parametrize(("last", "promise"), [(2, True), (3, True), (4, False)])
def test_a_read_that_ends_inside_a_batch_is_found(story: Story, last: int, promise: bool) -> None:
    shown = digest_of(contents(story)[:last])
    story.history.reads = [Read("c1", 1, last, shown, 0.1, 0.2)]
    assert ("no read shows a part of a batch" in story.broken()) is promise


def test_a_read_of_less_than_an_earlier_one_is_found(story: Story) -> None:
    story.history.reads.append(Read("c1", 1, 1, digest_of(["a.0"]), story.tick(), story.tick()))
    assert story.broken() == {"reads never go back"}


def test_a_read_without_an_acknowledged_append_is_found(story: Story) -> None:
    story.history.reads = [Read("c1", 1, 6, digest_of(contents(story)[:6]), story.tick(), story.tick())]
    assert story.broken() == {"reads never go back"}


def test_a_hole_is_found(story: Story) -> None:
    story.history.add(Hole("c1", (1, 3), 1.0))
    assert story.broken() == {"no read shows a hole"}


def test_a_journal_is_read_back_also_after_a_kill(tmp_path: Path, story: Story) -> None:
    for number, begin in enumerate(story.history.begins):
        with Journal(tmp_path / f"{number % 2}.jsonl") as journal:
            journal.write(begin)
    with Journal(tmp_path / "others.jsonl") as journal:
        for event in (*story.history.ends.values(), *story.history.reads, Hole("c1", (1, 3), 1.0), Fault("slow", 2.0)):
            journal.write(event)
    with (tmp_path / "0.jsonl").open("ab") as killed:
        killed.write(b'{"event": "End", "append": "w1.')
    read = history_in(tmp_path)
    assert sorted(read.begins, key=lambda begin: begin.at) == story.history.begins
    assert read.ends == story.history.ends
    assert read.reads == story.history.reads
    assert (read.holes, read.faults) == ([Hole("c1", (1, 3), 1.0)], [Fault("slow", 2.0)])
