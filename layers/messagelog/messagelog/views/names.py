"""Makes ids and names that a provider accepts from those in the log.

An id or a name that is made for a message depends on that message and those before it, never on later ones. So a longer
log gives the same ids, and a provider's prompt cache keeps its hits.
"""

from __future__ import annotations

import re
from hashlib import sha256

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")
_MADE_ID_LENGTH = 40
_DIGEST_LENGTH = 12


class Ids:
    """The ids of the tool calls of one view. Each is used once.

    A legal id that no earlier call has stays as it is. Any other id is replaced by one that is made from it and from
    the place of its call (seq and position), which is unique: at most 40 letters, digits, `_` and `-`.

    Args:
        legal: The pattern of the ids that the provider accepts.
    """

    def __init__(self, legal: str) -> None:
        self._legal = re.compile(legal)
        self._used: set[str] = set()

    def of(self, id: str, seq: int, position: int) -> str:
        """Returns the view's id of a call.

        Args:
            id: The log's id of the call.
            seq: The seq of the message that makes the call.
            position: The index of the call in that message.
        """
        given, made, tries = _cleaned(id or "call"), id, 0
        while made in self._used or not self._legal.fullmatch(made):
            place = f"_{seq}_{position}" + (f"_{tries}" if tries else "")
            made = given[: _MADE_ID_LENGTH - len(place)] + place
            tries += 1
        self._used.add(made)
        return made


class Names:
    """The names of tools or speakers in one view: letters, digits, `_` and `-`.

    A legal name stays as it is, unless it was already made from another name. Any other name is cleaned and gets a
    digest of the original, so that two names never become one.

    Args:
        max_length: The largest number of characters of a name.
    """

    def __init__(self, max_length: int) -> None:
        self._legal = re.compile(rf"[a-zA-Z0-9_-]{{1,{max_length}}}")
        self._kept_length = max_length - len("__") - _DIGEST_LENGTH
        self._known: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, name: str) -> str:
        """Returns the view's name for the log's name. It is the same for each call."""
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
