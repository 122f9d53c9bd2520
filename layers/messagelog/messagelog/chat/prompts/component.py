"""The base class of the components of a prompt tree: a title, the text inside, and a place in the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from messagelog.errors import CodecError
from messagelog.strictjson import is_unicode, kind_of

_INDENT = " " * 4


class Component:
    """A title with something inside, and a place in the container around it.

    After a component was taken out of its tree, a change raises ValueError, because the change would be lost.

    Args:
        title: The title; blank for none.

    Raises:
        CodecError: The title cannot be stored.
    """

    def __init__(self, title: str) -> None:
        self._title = checked_text(title, "title")
        self._id = ""
        self._parent: Component | None = None
        self._is_out = False
        self._around_changes: Callable[[], AbstractContextManager[None]] | None = None

    @property
    def title(self) -> str:
        """The line above the text inside; blank for none."""
        return self._title

    def set_title(self, title: str) -> None:
        """Replaces the title. With a blank title, the text inside has no line above it and no indent."""
        title = checked_text(title, "title")
        with self._changing():
            self._title = title

    def compose(self) -> str:
        """Returns the text: the title on its own line, and everything inside indented by four spaces.

        Without content, the text is empty.
        """
        inside = self._inside()
        return f"{self._title}\n{_indented(inside)}" if inside and self._title.strip() else inside

    def measure(self) -> tuple[int, int]:
        """Returns the number of bytes and lines of the text, without composing it.

        A deep tree can compose to a text far larger than the tree, since each level indents every line once more. Each
        line is counted with its line break, and a blank line as if it were indented too.
        """
        size, lines = self._measure_inside()
        if not lines or not self._title.strip():
            return size, lines
        title_size, title_lines = measured(self._title)
        return title_size + size + lines * len(_INDENT), title_lines + lines

    def _inside(self) -> str:
        raise NotImplementedError

    def _measure_inside(self) -> tuple[int, int]:
        raise NotImplementedError

    def _is_as_made(self) -> bool:
        """Whether the component was made by a container and not changed since."""
        raise NotImplementedError

    def _changing(self) -> AbstractContextManager[None]:
        """The context in which a change must be made."""
        if self._is_out:
            raise ValueError(
                "this component was taken out of its tree, so a change to it would be lost: get the component in its "
                "place with child(id) or prompt(id), or add this one to a container first"
            )
        if self._parent:
            return self._parent._changing()
        return self._around_changes() if self._around_changes else nullcontext()

    def _all(self) -> Iterator[Component]:
        """This component and all components inside it."""
        yield self

    def _held(self) -> dict[str, Any]:
        """Returns a copy of the attributes."""
        return dict(vars(self))

    def _root(self) -> Component:
        return self._parent._root() if self._parent else self

    def _put_into(self, parent: Component, id: str) -> None:
        self._id, self._parent, self._is_out = id, parent, False

    def _take_out(self) -> None:
        self._parent, self._is_out = None, True


def checked_text(value: object, path: str) -> str:
    """Returns the value if it is text that can be stored. Raises CodecError with the path otherwise."""
    if type(value) is not str:
        raise CodecError(path, f"must be text, not {kind_of(value)}")
    if not is_unicode(value):
        raise CodecError(path, "holds a lone surrogate, which is not Unicode text")
    return value


def measured(text: str) -> tuple[int, int]:
    """Returns the number of bytes and lines of a text, with a line break after each line."""
    return len(text.encode()) + 1, text.count("\n") + 1


def _indented(text: str) -> str:
    return "\n".join(_INDENT + line if line else line for line in text.split("\n"))
