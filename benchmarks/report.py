"""The results as Markdown, and the chart of the cost of an append."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.capacity import DOLLARS_A_MILLION_READS, DOLLARS_A_MILLION_WRITES, Cost
from benchmarks.chart import line_chart
from benchmarks.contention import Contention
from benchmarks.costs import CONVERSATION_LENGTH, CONVERSATIONS, dollars_of_conversations
from benchmarks.memory import Memory
from benchmarks.speed import Ratio
from benchmarks.trial import Trial


def markdown(trials: Sequence[Trial], ratios: Iterable[Ratio], memory: Memory | None) -> str:
    """Return all results. The first trial is that of MessageLog."""
    sections = [
        "# Results\n\n`make bench` wrote this, on MiniStack. Units and dollars follow DynamoDB's published rules, from "
        f"exact item sizes (on demand, us-east-1: ${DOLLARS_A_MILLION_READS} a million read units, "
        f"${DOLLARS_A_MILLION_WRITES} a million write units). Each library reads as it does by default. Times are "
        "ratios of pairs in one process.",
        "## What an append costs, by length\n\n"
        "US dollars for a million appends to a conversation of this length: the mean of a cycle of 20 messages. The "
        f"last column is the price of {CONVERSATIONS:,} conversations of {CONVERSATION_LENGTH} messages, appended one "
        "by one.\n\n" + _appends(trials),
        f"## What reads cost\n\nRequests / read units, at the greatest length of each store.\n\n{_reads(trials)}",
        "## Each operation of the log\n\nRequests / read units / write units (bytes sent and received).\n\n"
        + _operations(trials[0]),
        "## A race\n\nThreads append to one conversation at the same time. Lost: acknowledged, but not stored.\n\n"
        + _race(trials),
        "## Contention\n\nRequests for each append / errors / lost, and appends a second, by the number of writers.\n\n"
        + _contention(trials),
        "## Speed\n\nThe time of the log divided by that of its SDK calls: the median, and the middle half.\n\n"
        + _speed(ratios),
    ]
    if memory:
        sections.append("## Memory\n\nWith one row for each message.\n\n" + _memory(memory))
    return "\n\n".join(sections) + "\n"


def chart(trials: Iterable[Trial]) -> str:
    """Return the cost of an append by the length of the conversation, as SVG."""
    lines = {}
    for trial in trials:
        appends = trial.costs.get("append", {})
        points = {length: cost.dollars * 1e6 for length, cost in appends.items() if isinstance(cost, Cost)}
        if points:
            lines[trial.store] = points
    how = "US dollars for a million appends. A line ends where the store fails, or where measuring stopped."
    return line_chart("What an append costs", how, lines)


def _appends(trials: Sequence[Trial]) -> str:
    lengths = sorted({length for trial in trials for length in trial.costs.get("append", {})})
    rows = []
    for trial in trials:
        appends = trial.costs.get("append")
        if trial.unavailable:
            rows.append([trial.store, f"not run: {trial.unavailable}", *[""] * len(lengths)])
        elif appends:
            cells = [dollars(appends.get(length, "")) for length in lengths]
            total = dollars_of_conversations(appends)
            rows.append([trial.store, *cells, "–" if total is None else f"${total:,.2f}"])
    return table(["store", *[f"{length:,}" for length in lengths], f"{CONVERSATIONS:,} × {CONVERSATION_LENGTH}"], rows)


def _reads(trials: Sequence[Trial]) -> str:
    rows = []
    for trial in trials:
        reached = [length for length, cost in trial.costs.get("all", {}).items() if isinstance(cost, Cost)]
        if reached:
            cells = [trial.costs[operation][max(reached)] for operation in ("last 20", "all", "count")]
            rows.append([trial.store, f"{max(reached):,}", *[_read(cell) for cell in cells]])
    return table(["store", "length", "last 20", "all", "count"], rows)


def _operations(trial: Trial) -> str:
    lengths = sorted({length for costs in trial.costs.values() for length in costs})
    rows = [[operation, *[_full(costs.get(n, "")) for n in lengths]] for operation, costs in trial.costs.items()]
    return table(["operation", *[f"{length:,}" for length in lengths]], rows)


def _race(trials: Iterable[Trial]) -> str:
    rows = []
    for trial in trials:
        if race := trial.race:
            total = race.acknowledged + sum(race.errors.values())
            counts = [total, race.acknowledged, race.surviving, race.lost, race.duplicates]
            errors = ", ".join(f"{number} {name}" for name, number in sorted(race.errors.items()))
            rows.append([trial.store, *map(str, counts), errors or "0"])
    return table(["store", "appends", "acknowledged", "surviving", "lost", "duplicates", "errors"], rows)


def _contention(trials: Sequence[Trial]) -> str:
    writers = sorted({result.writers for trial in trials for result in trial.contention})
    rows = []
    for trial in trials:
        if trial.contention:
            by_writers = {result.writers: result for result in trial.contention}
            rows.append([trial.store, *[_contended(by_writers[n]) if n in by_writers else "" for n in writers]])
    return table(["store", *map(str, writers)], rows)


def _contended(result: Contention) -> str:
    appends = max(1, result.acknowledged)
    per_append, per_second = result.requests / appends, appends / result.seconds
    return f"{per_append:.1f} / {sum(result.errors.values())} / {result.lost}, {per_second:.0f}/s"


def _speed(ratios: Iterable[Ratio]) -> str:
    rows = [[r.what, f"{r.median:.2f}", f"{r.low:.2f} – {r.high:.2f}", str(r.pairs)] for r in ratios]
    return table(["what", "ratio", "middle half", "pairs"], rows)


def _memory(memory: Memory) -> str:
    rows = [
        [f"result of `all()` on {memory.messages:,} messages", f"{memory.result:.1f}"],
        ["peak of `all()`", f"{memory.peak_of_all:.1f}"],
        ["peak of `iter_all()`", f"{memory.peak_of_iter:.1f}"],
        ["peak of `iter_all()` on a tenth of them", f"{memory.peak_of_tenth:.1f}"],
    ]
    return table(["what", "MB"], rows)


def dollars(cost: Cost | str) -> str:
    """Return the dollars for a million times this cost, or the reason for a missing cost."""
    return cost if isinstance(cost, str) else f"${cost.dollars * 1e6:,.2f}"


def _read(cost: Cost | str) -> str:
    return cost if isinstance(cost, str) else f"{cost.requests:g} / {cost.read_units:g}"


def _full(cost: Cost | str) -> str:
    if isinstance(cost, str):
        return cost
    units = f"{cost.requests:g} / {cost.read_units:g} / {cost.write_units:g}"
    return f"{units} ({cost.bytes_sent:,.0f} + {cost.bytes_received:,.0f})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(_lines(head, rows))


def _lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
