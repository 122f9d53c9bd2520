"""A chat's prompt tree as the state keeps it: read when it is asked for, written with each change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

from messagelog.chat.errors import PromptChangedError
from messagelog.chat.prompts.container import PromptContainer
from messagelog.chat.states.state import ChatState, System
from messagelog.errors import MessageTooLargeError
from messagelog.reply_limit import ROOM
from messagelog.strictjson import copied, dumps

GENERAL = "general"
TUTORIALS = "tutorials"
STANDARD = (GENERAL, TUTORIALS)

_TRIES = 5


class PromptStore:
    """The tree of one chat in this process. Its root stays the same object.

    A change is written if nobody has changed the tree since it was read here; else PromptChangedError. It is not made
    either where it raises CodecError, for a tree that nests too deep, or MessageTooLargeError, for one that is larger
    than a message may be, or whose text is. So whatever is stored can be shown and composed.
    """

    def __init__(self, state: ChatState) -> None:
        self._state = state
        self._lock = RLock()
        self._is_changing = False
        self._known = System()
        self._root = PromptContainer(standard=STANDARD)
        self._root.watch(self._changing)

    @property
    def version(self) -> int:
        """The version that was read or written last."""
        return self._known.version

    def read(self) -> PromptContainer:
        """The root, with what the state has now."""
        with self._lock:
            if not self._is_changing and (system := self._state.system()) != self._known:
                self._show(system, keep_new=True)
            return self._root

    def show(self, system: System) -> None:
        """Shows what the state is known to have, and nothing else."""
        with self._lock:
            self._show(system)

    @contextmanager
    def editing(self) -> Iterator[PromptContainer]:
        """Gives the root to make changes in, all of which are written as one; none of them if the block raises.

        A block inside another one is a part of that.
        """
        with self._lock:
            root = self.read()
            with self._changing():
                yield root

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

    def put(self, tree: PromptContainer, *, version: int | None = None) -> PromptContainer:
        """Replaces the tree by what another one holds, if it has this version, and returns the root.

        Raises PromptChangedError if the version is another one.
        """
        with self.editing() as root:
            if version not in (None, self.version):
                raise PromptChangedError(self.version)
            root.become(tree)
        return root

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Writes what is changed in the block, and takes it back if that fails or the block raises."""
        with self._lock:
            if self._is_changing:
                yield
                return
            put_back = self._root.snapshot()
            self._is_changing = True
            try:
                yield
                self._write()
            except BaseException:
                put_back()
                raise
            finally:
                self._is_changing = False

    def _write(self) -> None:
        form = _form(self._root)
        if form != self._known.tree:
            self._known = self._state.put_system(form, version=self._known.version)

    def _show(self, system: System, *, keep_new: bool = False) -> None:
        tree = PromptContainer.from_json(json.loads(system.tree or "{}"), standard=STANDARD)
        self._root.become(tree, keep_new=keep_new)
        self._known = system


def _form(tree: PromptContainer) -> str:
    form = tree.to_json()
    copied(form, "")  # nested no deeper than can be read again
    text = dumps(form)
    size = max(len(text.encode()), tree.measure()[0])
    if size > ROOM:
        raise MessageTooLargeError(
            f"the prompt tree takes {size} bytes as JSON or as text, and {ROOM} are the most; nothing was written: "
            "shorten it, or nest it less, since every level indents each line once more"
        )
    return text
