"""The rules that Anthropic and Bedrock share: roles alternate, and calls are answered in the next turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Turn:
    """The blocks of a turn as the rules see them: their kinds in order (`text`, `call`, `result`), and their ids."""

    role: str
    kinds: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    def put(self, kind: str, id: str | None = None) -> None:
        """Adds a block."""
        self.kinds.append(kind)
        if id is not None:
            (self.calls if kind == "call" else self.results).append(id)


def order_faults(turns: list[Turn], *, open_end: bool) -> Iterator[str]:
    """Yields each rule about the order of turns and blocks that is broken."""
    if not turns or turns[0].role != "user":
        yield "the first turn must be the user's"
    ids = [id for turn in turns for id in turn.calls]
    if len(set(ids)) < len(ids):
        yield "ids of calls must be unique"
    for index, turn in enumerate(turns):
        before = turns[index - 1] if index else Turn("none")
        if before.role == turn.role:
            yield f"turn {index}: roles must alternate"
        yield from (f"turn {index}: {fault}" for fault in _kind_faults(turn))
        may_lack = open_end and index == len(turns) - 1 and "text" not in turn.kinds
        yield from (f"turn {index}: {fault}" for fault in _result_faults(turn, before, may_lack))
    if turns and turns[-1].calls and not open_end:
        yield f"at the end: no results for {turns[-1].calls}"


def _kind_faults(turn: Turn) -> Iterator[str]:
    if not turn.kinds:
        yield "no content"
    if turn.role == "assistant" and "result" in turn.kinds:
        yield "a result in an assistant turn"
    if turn.role == "user" and "call" in turn.kinds:
        yield "a call in a user turn"
    if "result" in turn.kinds[len(turn.results) :]:
        yield "results must come first"


def _result_faults(turn: Turn, before: Turn, may_lack: bool) -> Iterator[str]:
    if len(set(turn.results)) < len(turn.results) or set(turn.results) - set(before.calls):
        yield f"results {turn.results} for the calls {before.calls}"
    missing = set(before.calls) - set(turn.results)
    if missing and not may_lack:
        yield f"no results for {sorted(missing)}"


def open_calls(turns: list[Turn]) -> list[str]:
    """Returns the ids of the calls at the end that have no result."""
    answered = {id for turn in turns for id in turn.results}
    return [id for turn in turns[-2:] for id in turn.calls if id not in answered]
