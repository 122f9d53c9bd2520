"""A turn of a view, and the log's messages it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Turn:
    """One entry of a view: `body` is what the provider gets.

    `first` and `last` are the seqs of the messages that give the turn its place. A tool result stands where its call
    stands, so a result that moved up counts with the seq of its call.
    """

    first: int
    last: int
    body: dict[str, Any]


def bodies(turns: list[Turn]) -> list[dict[str, Any]]:
    """What the provider gets of these turns."""
    return [turn.body for turn in turns]
