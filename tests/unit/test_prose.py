"""The prose of the repository keeps clear of constructions that a learner of English has to read twice.

CONTRIBUTING.md says how we write. This test counts a few constructions that break those rules and are easy to find.
"""

from __future__ import annotations

import pytest

from local.template import ROOT
from tests.support.prose import READERS, Prose, count_words, hits, prose_below

MOST_IN_1000_WORDS = 1.0


def test_prose_holds_few_odd_constructions() -> None:
    words, found = 0, []
    for prose in prose_below(ROOT):
        words += count_words(prose)
        found += hits(prose)
    assert words > 10_000
    rate = 1_000 * len(found) / words
    listed = "\n".join(map(str, found))
    assert rate < MOST_IN_1000_WORDS, (
        f"{len(found)} in {words} words, {rate:.1f} in 1,000. Say these plainly:\n{listed}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "This is no date.",
        "These keys are no longer read.",
        "The messages behind a seq.",
        "Who held a lease before cannot write.",
        "It is safe: who asks again gets the same.",
        "What is not an event is refused.",
        "It is read. What was found is returned.",
        "- What is old is left out.",
        "**What is wrong** is logged.",
        "It makes the item anew.",
        "It is kept for ever.",
        "A field that nobody heeds.",
        "The views mend the history.",
        "It stops for want of memory.",
        "It does not grow dear.",
        "It fails. Nor is it retried.",
    ],
)
def test_each_odd_construction_is_found_once(text: str) -> None:
    assert [hit.line for hit in hits(Prose("a.md", 7, f"Some text.\n\n{text}"))] == [9]


@pytest.mark.parametrize(
    "text",
    [
        "This is not a date, and there is nothing left.",
        "The messages after a seq.",
        "Whoever holds the lease writes, and a person who asks gets an answer.",
        "What happens next? Who is asked?",
        "## What it costs",
        "Say `is no date`, `behind` and `anew` in code.",
        "Normally, this is kept forever. A commendable amendment.",
    ],
)
def test_plain_english_is_not_found(text: str) -> None:
    assert not list(hits(Prose("a.md", 1, text)))


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.md", "Made anew.\n\n```sh\nmake anew\n```\n\n[a](anew.md) anew.\n", [1, 7]),
        ("a.py", '"""Made anew."""\n# Made\n# anew.\nreason = "this is no date, not at all"\nx = "anew"\n', [1, 3, 4]),
        ("a.py", 'def f():\n    """Made.\n\n    Once anew.\n    """\n', [4]),
        ("tests/a.py", 'def test_it_is_no_date():\n    x = "this is no date, not at all"\n', [1]),
        ("a.yaml", "# Made anew.\nDescription: >-\n  Made anew.\nType: anew\nitems: [{summary: anew}]\n", [1, 2, 5]),
        ("Makefile", "# Made anew.\nrun: ## Made anew\n\t@echo 'Made anew.'\n\tanew\n", [1, 2, 3]),
        ("a.toml", "# Made anew.\nkey = 1 # anew\n", [1, 2]),
    ],
)
def test_prose_is_found_in_each_kind_of_file(name: str, text: str, lines: list[int]) -> None:
    reader = READERS.get(name) or READERS[f".{name.partition('.')[2]}"]
    found = [hit for line, prose in reader(name, text) for hit in hits(Prose(name, line, prose))]
    assert sorted(hit.line for hit in found) == lines
