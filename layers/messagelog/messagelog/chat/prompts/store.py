"""A chat's prompt tree, which is stored in the chat's state. It is read when needed, and written at each change."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from messagelog.chat.errors import PromptChangedError
from messagelog.chat.prompts.container import PromptContainer
from messagelog.chat.states.state import ChatState, System
from messagelog.errors import MessageTooLargeError, StorageUnavailableError
from messagelog.reply_limit import ROOM
from messagelog.strictjson import copied, dumps

logger = logging.getLogger(__name__)

GENERAL = "general"
TUTORIALS = "tutorials"
STANDARD = (GENERAL, TUTORIALS)

_TRIES = 5


class PromptStore:
    """The tree of one chat in this process. Its root stays the same object.

    Every change of the tree is written at once. A change that cannot be written is taken back. So every stored tree can
    be read and composed.

    Args:
        state: Keeps the tree.

    Raises:
        PromptChangedError: Somebody else changed the tree after it was read here.
        CodecError: The tree nests too deep.
        MessageTooLargeError: The tree, or its composed text, is larger than a message may be.
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
        """Returns the root of the tree, as the state has it now."""
        with self._lock:
            if not self._is_changing and (system := self._state.system()) != self._known:
                self._show(system, keep_new=True)
            return self._root

    def show(self, system: System) -> None:
        """Updates the root from a tree that was just read from the state or written to it."""
        with self._lock:
            self._show(system)

    @contextmanager
    def editing(self) -> Iterator[PromptContainer]:
        """Writes all changes of the block as one, and none of them if the block raises.

        A block inside another block is a part of it.

        Yields:
            The root.
        """
        with self._lock:
            root = self.read()
            with self._changing():
                yield root

    def update(self, change: Callable[[PromptContainer], None]) -> None:
        """Makes a change to the newest tree. Makes it again if another process changed the tree in the meantime.

        If the tree would become too large, the change is left out and logged, so that a full tree does not stop a turn.

        Args:
            change: Changes the tree whose root it gets. It may be called several times.

        Raises:
            PromptChangedError: Other processes kept changing the tree.
        """
        for tries_left in reversed(range(_TRIES)):
            try:
                with self.editing() as root:
                    change(root)
                return
            except PromptChangedError:
                if not tries_left:
                    raise
            except MessageTooLargeError as error:
                logger.warning("prompts left out: %s", error)
                return

    def put(self, tree: PromptContainer, *, version: int | None = None) -> PromptContainer:
        """Replaces the tree by another one.

        Args:
            tree: The other tree. It stays as it is.
            version: Replace the tree only if it has this version.

        Returns:
            The root.

        Raises:
            PromptChangedError: The tree has another version.
        """
        with self.editing() as root:
            if version not in (None, self.version):
                raise PromptChangedError(self.version)
            root.become(tree)
        return root

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Writes the changes of the block, and takes them back if that fails or the block raises."""
        with self._lock:
            if self._is_changing:
                yield
                return
            put_back, before = self._root.snapshot(), self._root.to_json()
            self._is_changing = True
            try:
                yield
                if self._root.to_json() != before:
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
        tree = PromptContainer.from_json(_parsed(system.tree or "{}"), standard=STANDARD)
        self._root.become(tree, keep_new=keep_new)
        self._known = system


def _parsed(tree: str) -> Any:
    try:
        return json.loads(tree)
    except ValueError:
        error = StorageUnavailableError(
            "the stored prompt tree is damaged: was it changed by hand?", is_of_the_stack=True
        )
        error.code = "ItemDamaged"
        raise error from None  # the cause quotes the tree


def _form(tree: PromptContainer) -> str:
    form = tree.to_json()
    copied(form, "")  # refuses a tree that could not be read again
    text = dumps(form)
    size = max(len(text.encode()), tree.measure()[0])
    if size > ROOM:
        raise MessageTooLargeError(
            f"the prompt tree takes {size} bytes as JSON or as text, and the limit is {ROOM}; nothing was written: "
            "shorten it, or nest it less, since every level indents each line once more"
        )
    return text
