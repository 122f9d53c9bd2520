"""Ids and names that a provider takes, made from the ones in the log.

What is made for a message depends on that message and those before it, never on what follows: a longer log gives the
same ids, and a provider's prompt cache keeps its hits.
"""

from __future__ import annotations

import re
from hashlib import sha256

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")
_MADE_ID_LENGTH = 40
_DIGEST_LENGTH = 12


class Ids:
    """The tool-call ids of one view, each used once; `legal` is the pattern of the ids that the provider takes.

    A legal id that no call before has stays as it is. Any other is replaced by one made from it and from the place of
    its call (seq and position), which no other call shares: at most 40 letters, digits, `_` and `-`.
    """

    def __init__(self, legal: str) -> None:
        self._legal = re.compile(legal)
        self._used: set[str] = set()

    def of(self, id: str, seq: int, position: int) -> str:
        """The id in the view of the call with this id that message `seq` makes as its number `position`."""
        given, made, tries = _cleaned(id or "call"), id, 0
        while made in self._used or not self._legal.fullmatch(made):
            place = f"_{seq}_{position}" + (f"_{tries}" if tries else "")
            made = given[: _MADE_ID_LENGTH - len(place)] + place
            tries += 1
        self._used.add(made)
        return made


class Names:
    """The names of tools or speakers in a view: letters, digits, `_` and `-`, at most `max_length`.

    A legal name stays as it is, unless one that was made before is the same. Any other is cleaned and gets a digest of
    the original, so that two names never become one.
    """

    def __init__(self, max_length: int) -> None:
        self._legal = re.compile(rf"[a-zA-Z0-9_-]{{1,{max_length}}}")
        self._kept_length = max_length - len("__") - _DIGEST_LENGTH
        self._known: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, name: str) -> str:
        """The name in the view. The same name gives the same every time."""
        if name not in self._known:
            self._known[name] = self._made(name)
        return self._known[name]

    def _made(self, name: str) -> str:
        made = digest = name
        while made in self._used or not self._legal.fullmatch(made):
            digest = sha256(digest.encode()).hexdigest()[:_DIGEST_LENGTH]
            made = f"{_cleaned(name)[: self._kept_length]}__{digest}"
        self._used.add(made)
        return made


def _cleaned(text: str) -> str:
    return _FOREIGN.sub("_", text)
