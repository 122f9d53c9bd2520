"""A chat's prompt tree as the state keeps it: read when it is asked for, written with each change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Any

from messagelog.chat.prompt import PromptContainer
from messagelog.chat.state import ChatState, System
from messagelog.errors import PromptChangedError
from messagelog.strictjson import copied, dumps

GENERAL = "general"
TUTORIALS = "tutorials"
STANDARD = (GENERAL, TUTORIALS)

_TRIES = 5


class SystemPrompt:
    """The tree of one chat in this process. Its root stays the same object.

    A change is written if nobody has changed the tree since it was read here; else PromptChangedError, and the change
    is taken back.
    """

    def __init__(self, state: ChatState) -> None:
        self._state = state
        self._lock = RLock()
        self._editing = 0
        self._known = System()
        self._root = PromptContainer(standard=STANDARD)
        self._root.watch(self._write)

    @property
    def version(self) -> int:
        """The version that was read or written last."""
        return self._known.version

    def read(self) -> PromptContainer:
        """The root, with what the state has now."""
        with self._lock:
            if not self._editing:
                self._show(self._state.system())
            return self._root

    def update(self, change: Callable[[PromptContainer], None]) -> None:
        """Makes a change to the tree as it then is: once more, if another process got in between."""
        for tries_left in reversed(range(_TRIES)):
            try:
                with self.editing() as root:
                    change(root)
                return
            except PromptChangedError:
                if not tries_left:
                    raise

    def reload(self) -> None:
        """Shows what the state has now, and nothing else."""
        with self._lock:
            self._known = self._state.system()
            self._root.become(_tree(self._known))

    @contextmanager
    def editing(self) -> Iterator[PromptContainer]:
        """Gives the root to make changes in, all of which are written as one; none of them if the block raises."""
        with self._lock:
            root = self.read()
            try:
                self._editing += 1
                try:
                    yield root
                finally:
                    self._editing -= 1
                self._write()
            except BaseException:
                self._root.become(_tree(self._known), keep_new=True)
                raise

    def put(self, form: Mapping[str, Any], *, version: int | None = None) -> PromptContainer:
        """Replaces the tree by one in its JSON form, if it has this version, and returns the root.

        Raises CodecError with the path of what is no tree, PromptChangedError if the version is another one.
        """
        tree = PromptContainer.from_json(form, standard=STANDARD)
        with self._lock:
            expected = self._state.system().version if version is None else version
            self._show(self._state.put_system(_form(tree), version=expected))
            return self._root

    def _show(self, system: System) -> None:
        if system != self._known:
            self._known = system
            self._root.become(_tree(system), keep_new=True)

    def _write(self) -> None:
        with self._lock:
            if not self._editing and (form := _form(self._root)) != self._known.tree:
                self._known = self._state.put_system(form, version=self._known.version)


def _tree(system: System) -> PromptContainer:
    return PromptContainer.from_json(json.loads(system.tree or "{}"), standard=STANDARD)


def _form(tree: PromptContainer) -> str:
    form = tree.to_json()
    copied(form, "")  # nested no deeper than can be read again
    return dumps(form)
