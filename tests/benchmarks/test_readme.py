"""The figures of the README are those in benchmarks/results, and each run of `make bench` replaces them."""

from __future__ import annotations

import pytest

from benchmarks import summary
from benchmarks.capacity import Cost
from benchmarks.contention import Contention
from benchmarks.memory import Memory
from benchmarks.speed import Ratio
from benchmarks.trial import Trial
from local.template import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "benchmarks" / "results" / "results.md").read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def table(text: str) -> dict[str, dict[str, str]]:
    """Return the cells of the table in a text, by the first cell of their row and the head of their column."""
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"
    ]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def test_the_table_shows_the_results() -> None:
    costs = table(section(RESULTS, "What an append costs, by length"))
    race = table(section(RESULTS, "A race"))
    shown = table(section(README, "What it costs"))
    assert shown.keys() == costs.keys()
    for store, cells in shown.items():
        assert cells.items() <= {**costs[store], **race[store]}.items()


def test_the_sentences_show_the_results() -> None:
    speed = table(section(RESULTS, "Speed"))
    ratios = [Ratio(what, float(row["ratio"]), 0, 0, 9) for what, row in speed.items()]
    result, peak_of_all, peak_of_iter, peak_of_tenth = (
        float(row["MB"]) for row in table(section(RESULTS, "Memory")).values()
    )
    memory = Memory(100_000, result, peak_of_all, peak_of_iter, peak_of_tenth)
    assert summary.sentences(ratios, memory) in README


def test_a_run_replaces_only_the_text_between_the_marks() -> None:
    race = Contention(writers=8, acknowledged=200, surviving=190, duplicates=0, errors={}, requests=200, seconds=1.0)

    def priced(store: str, units: int) -> Trial:
        cost = Cost(write_units=units)
        return Trial(store, {"append": {1: cost, 500: cost, 1_000: "fails: 400 KB"}}, [], race)

    ours, dear, cheap = priced("ours", 8), priced("dear", 40), priced("cheap", 4)
    ratios = [Ratio(f"{ours} over {bare}", 1.25, 1.0, 1.5, 9) for ours, bare in (("a", "b"), ("c", "d"), ("e", "f"))]
    memory = Memory(100_000, 90.0, 100.0, 14.0, 13.0)
    once = summary.quoted(README, [ours, dear, Trial("a file", {}, [], race), cheap], ratios, memory)
    shown = table(section(once, "What it costs"))
    assert list(shown) == ["ours", "cheap", "dear"]
    assert shown["dear"]["1,000"] == "fails: 400 KB"
    assert (shown["dear"]["acknowledged"], shown["dear"]["lost"]) == ("200", "10")
    assert "a takes 1.25 times as long as b" in once
    assert once.partition(summary.BEGIN)[0] == README.partition(summary.BEGIN)[0]
    assert once.partition(summary.END)[2] == README.partition(summary.END)[2]
    with pytest.raises(ValueError, match="around what it quotes"):
        summary.quoted(README.replace(summary.END, ""), [ours], ratios, memory)
