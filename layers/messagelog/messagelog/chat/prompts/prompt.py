"""A prompt of the system prompt's tree, and what it shares with the containers around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from messagelog.errors import CodecError
from messagelog.strictjson import below, is_unicode, kind_of, require_object

_INDENT = " " * 4


class Component:
    """A title with something inside, and a place in the container around it.

    What changes a component raises ValueError once it was taken out of its tree: the change would be lost in silence.
    """

    def __init__(self, title: str) -> None:
        self._title = checked_text(title, "title")
        self._id = ""
        self._parent: Component | None = None
        self._is_out = False
        self._around_changes: Callable[[], AbstractContextManager[None]] | None = None

    @property
    def title(self) -> str:
        """The line above what is inside, blank for none."""
        return self._title

    def set_title(self, title: str) -> None:
        """Gives another title; with a blank one, what is inside stands without a line above it and not indented."""
        title = checked_text(title, "title")
        with self._changing():
            self._title = title

    def compose(self) -> str:
        """The text: the title on its line, and indented by four spaces what is inside. Empty without content."""
        inside = self._inside()
        return f"{self._title}\n{_indented(inside)}" if inside and self._title.strip() else inside

    def measure(self) -> tuple[int, int]:
        """The bytes and the lines of the text, counted without making it: deep inside, a short line becomes a long one.

        Each line is counted with its break, and a blank one as if it were indented too.
        """
        size, lines = self._measure_inside()
        if not lines or not self._title.strip():
            return size, lines
        title_size, title_lines = _measured(self._title)
        return title_size + size + lines * len(_INDENT), title_lines + lines

    def _inside(self) -> str:
        raise NotImplementedError

    def _measure_inside(self) -> tuple[int, int]:
        raise NotImplementedError

    def _is_as_made(self) -> bool:
        """Whether it is what `child` or `prompt` of a container makes, and nothing was done to it."""
        raise NotImplementedError

    def _changing(self) -> AbstractContextManager[None]:
        """The context in which a change is to be made."""
        if self._is_out:
            raise ValueError(
                "this was taken out of its tree, where changing it would change nothing: get what has its place now "
                "with child(id) or prompt(id), or add it to a container first"
            )
        if self._parent:
            return self._parent._changing()
        return self._around_changes() if self._around_changes else nullcontext()

    def _all(self) -> Iterator[Component]:
        """This component and all inside."""
        yield self

    def _held(self) -> dict[str, Any]:
        """The attributes as they are now."""
        return dict(vars(self))

    def _root(self) -> Component:
        return self._parent._root() if self._parent else self

    def _put_into(self, parent: Component, id: str) -> None:
        self._id, self._parent, self._is_out = id, parent, False

    def _take_out(self) -> None:
        self._parent, self._is_out = None, True


class Prompt(Component):
    """A text of the system prompt under a title."""

    def __init__(self, title: str = "", content: str = "") -> None:
        super().__init__(title)
        self._content = checked_text(content, "content")

    @property
    def content(self) -> str:
        """The text."""
        return self._content

    def set_content(self, content: str) -> None:
        """Replaces the text."""
        content = checked_text(content, "content")
        with self._changing():
            self._content = content

    def clear(self) -> None:
        """Takes the text away."""
        self.set_content("")

    def has_content(self) -> bool:
        """Whether there is a text that is not blank."""
        return bool(self._content.strip())

    def to_json(self) -> dict[str, Any]:
        """The JSON form: `title` and `content`."""
        return {"title": self._title, "content": self._content}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], path: str = "") -> Prompt:
        """The prompt that has this JSON form. Raises CodecError with the path of the fault, below `path`."""
        fields = require_object(form, path, ("title", "content"))
        title = checked_text(fields.get("title", ""), below(path, "title"))
        return cls(title, checked_text(fields.get("content", ""), below(path, "content")))

    def become(self, other: Prompt) -> None:
        """Takes over what another prompt holds, and tells nobody."""
        self._title, self._content = other._title, other._content

    def _inside(self) -> str:
        return self._content if self.has_content() else ""

    def _measure_inside(self) -> tuple[int, int]:
        return _measured(self._content) if self.has_content() else (0, 0)

    def _is_as_made(self) -> bool:
        return not self._content and self._title == self._id


def checked_text(value: object, path: str) -> str:
    """The value, if it is a text that can be stored; else CodecError."""
    if type(value) is not str:
        raise CodecError(path, f"must be text, not {kind_of(value)}")
    if not is_unicode(value):
        raise CodecError(path, "holds a lone surrogate, which is no Unicode text")
    return value


def _measured(text: str) -> tuple[int, int]:
    return len(text.encode()) + 1, text.count("\n") + 1


def _indented(text: str) -> str:
    return "\n".join(_INDENT + line if line else line for line in text.split("\n"))
