"""The results that the README quotes, between two marks."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.costs import CONVERSATION_LENGTH, CONVERSATIONS, dollars_of_conversations
from benchmarks.memory import Memory
from benchmarks.report import dollars, table
from benchmarks.speed import Ratio
from benchmarks.trial import Trial

BEGIN, END = "<!-- from make bench -->\n", "<!-- to here -->\n"
_LENGTHS = (1, 100, 500, 1_000)


def quoted(readme: str, trials: Sequence[Trial], ratios: Sequence[Ratio], memory: Memory) -> str:
    """Return the README with the results of a whole run between the marks. Raises ValueError without the marks."""
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md needs the lines {BEGIN.strip()} and {END.strip()} around what it quotes")
    return f"{head}{BEGIN}{_costs(trials)}\n\n{sentences(ratios, memory)}\n{END}{tail}"


def _costs(trials: Sequence[Trial]) -> str:
    """Return the table: MessageLog, then the other stores from the cheapest on."""
    first, *others = (trial for trial in trials if "append" in trial.costs)
    rows = [_row(trial) for trial in [first, *sorted(others, key=_total)]]
    lengths = [f"{length:,}" for length in _LENGTHS]
    return table(["store", *lengths, f"{CONVERSATIONS:,} × {CONVERSATION_LENGTH}", "acknowledged", "lost"], rows)


def _row(trial: Trial) -> list[str]:
    appends = trial.costs["append"]
    race = [str(trial.race.acknowledged), str(trial.race.lost)] if trial.race else ["", ""]
    total = dollars_of_conversations(appends)
    costs = [dollars(appends.get(length, "")) for length in _LENGTHS]
    return [trial.store, *costs, "–" if total is None else f"${total:,.2f}", *race]


def _total(trial: Trial) -> float:
    return dollars_of_conversations(trial.costs["append"]) or float("inf")


def sentences(ratios: Sequence[Ratio], memory: Memory) -> str:
    """Return the sentences of the README about speed and memory."""
    append, read, *views = ratios
    view = max(ratio.median for ratio in views)
    return (
        f"{_times(append)}.\n{_times(read)}, and the slowest view adds {view:.2f} of that.\n"
        f"`all()` of {memory.messages:,} messages needs at most {memory.peak_of_all:.1f} MB for a result of "
        f"{memory.result:.1f} MB.\n`iter_all()` needs {memory.peak_of_iter:.1f} MB, and {memory.peak_of_tenth:.1f} MB "
        "for a tenth of the messages."
    )


def _times(ratio: Ratio) -> str:
    ours, _, bare = ratio.what.partition(" over ")
    return f"{ours} takes {ratio.median:.2f} times as long as {bare}"
