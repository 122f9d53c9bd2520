"""A turn of a view, and the log's messages it stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Turn:
    """One entry of a view: `body` is what the provider gets.

    `first` and `last` are the seqs of the messages that give the turn its place. A tool result stands where its call
    stands, so a result that moved up counts with the seq of its call. `joints` tell where a turn was made from several
    messages: the seq of each further one, and the index of its first block.
    """

    first: int
    last: int
    body: dict[str, Any]
    joints: list[tuple[int, int]] = field(default_factory=list)

    def parted(self, joint: int) -> tuple[Turn, Turn]:
        """The turn up to that joint, and from it on."""
        seq, block = self.joints[joint]
        content = self.body["content"]
        return (
            Turn(self.first, seq - 1, {**self.body, "content": content[:block]}),
            Turn(
                seq,
                self.last,
                {**self.body, "content": content[block:]},
                [(later, index - block) for later, index in self.joints[joint + 1 :]],
            ),
        )


def bodies(turns: list[Turn]) -> list[dict[str, Any]]:
    """What the provider gets of these turns."""
    return [turn.body for turn in turns]
