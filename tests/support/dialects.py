"""The ways in which endpoints cut the tool calls of a reply into pieces, for property tests.

`Dialect.pieces` draws how each call is cut, and returns the pieces as the endpoint would stream them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, TypeAlias

from hypothesis import strategies as st
from messagelog.chat.providers import ToolCallDelta

Named: TypeAlias = tuple[str, Any]
"""The name of a call, and its arguments."""

NAMES = st.sampled_from(["get_weather", "get_time", "search", "f"])
ARGUMENTS = st.dictionaries(
    st.text(max_size=3), st.recursive(st.integers() | st.text(max_size=4), st.lists, max_leaves=4), max_size=3
)
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=4)

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]


def cut(draw: Draw, text: str, *, empty_first: bool = True) -> list[str]:
    """Cuts a text into pieces. The first may be empty; the others are not."""
    places = sorted(draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=4)))
    edges = [0, *(place for place in places if place < len(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    return ["", *pieces] if empty_first and draw(st.booleans()) else pieces


@dataclass(frozen=True)
class Dialect:
    """How an endpoint streams tool calls.

    Attributes:
        own_index: Whether each call has its own index; otherwise all have 0.
        ids: `first` piece, `every` piece, `changing` in each piece, or `none`.
        names: `first` piece, `every` piece, or `pieces` of their own before the arguments.
        interleaved: Whether the pieces of several calls may be mixed.
    """

    own_index: bool
    ids: str
    names: str
    interleaved: bool = False

    def pieces(self, draw: Draw, calls: list[Named]) -> list[ToolCallDelta]:
        """Returns the pieces of the calls."""
        numbers = count()
        streams = [list(self._of_call(draw, place, call, numbers)) for place, call in enumerate(calls)]
        if not self.interleaved:
            return [piece for stream in streams for piece in stream]
        mixed = [stream.pop(0) for stream in streams]
        while left := [stream for stream in streams if stream]:
            mixed.append(draw(st.sampled_from(left)).pop(0))
        return mixed

    def _of_call(self, draw: Draw, place: int, call: Named, numbers: Iterator[int]) -> Iterator[ToolCallDelta]:
        name, index = call[0], place if self.own_index else 0
        names = cut(draw, name, empty_first=False) if self.names == "pieces" else [name]
        arguments = cut(draw, json.dumps(call[1], ensure_ascii=draw(st.booleans())), empty_first=self.names != "every")
        cuts = [(part, "") for part in names] if self.names == "pieces" else [(name, arguments.pop(0))]
        cuts += [(name if self.names == "every" else "", part) for part in arguments]
        for position, (part, argument) in enumerate(cuts):
            yield ToolCallDelta(index, self._id(place, position, numbers), part, argument)

    def _id(self, place: int, position: int, numbers: Iterator[int]) -> str:
        if self.ids == "changing":
            return f"call_{next(numbers)}"
        return f"call_{place}" if self.ids == "every" or (self.ids == "first" and position == 0) else ""


OBSERVED = {
    "OpenAI": Dialect(True, "first", "first", interleaved=True),
    "ids and names in every piece": Dialect(True, "every", "every", interleaved=True),
    "ids in every piece": Dialect(True, "every", "first", interleaved=True),
    "another id in each piece": Dialect(True, "changing", "first", interleaved=True),
    "another id in each piece, one index": Dialect(False, "changing", "first"),
    "another id in each piece, names too": Dialect(True, "changing", "every", interleaved=True),
    "another id in each piece, names too, one index": Dialect(False, "changing", "every"),
    "names in pieces": Dialect(True, "first", "pieces", interleaved=True),
    "names in pieces, no ids": Dialect(True, "none", "pieces"),
    "one index": Dialect(False, "first", "first"),
    "one index, ids in every piece": Dialect(False, "every", "first"),
    "one index, ids and names in every piece": Dialect(False, "every", "every"),
    "one index, no ids": Dialect(False, "none", "first"),
    "one index, no ids, names in every piece": Dialect(False, "none", "every"),
}
