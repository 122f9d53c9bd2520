"""The system prompt as a tree: containers with a title, and prompts with a title and a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar

from messagelog.chat.prompt_forms import checked_text, fill
from messagelog.strictjson import copied, kind_of

_INDENT = " " * 4


class _Component:
    """What prompts and containers share: a title, and a place in the container around them.

    A change that whoever watches the tree refuses, by raising, is taken back.
    """

    def __init__(self, title: str) -> None:
        self._title = checked_text(title, "title")
        self._id = ""
        self._parent: PromptContainer | None = None

    @property
    def title(self) -> str:
        """The line above what is inside, empty for none."""
        return self._title

    def set_title(self, title: str) -> None:
        """Gives another title; with an empty one, what is inside stands without a line above it and not indented."""
        self._set(_title=checked_text(title, "title"))

    def compose(self) -> str:
        """The text: the title on its line, and indented by four spaces what is inside. Empty without content."""
        return "\n".join(self._lines(0))

    def _lines(self, depth: int) -> Iterator[str]:
        """The lines at this depth of the tree, each made once: a deep tree takes no longer than its text is long."""
        inside = self._inside(depth + 1 if self._title else depth)
        first = next(inside, None)
        if first is None:
            return
        if self._title:
            yield from _indented(self._title, depth)
        yield first
        yield from inside

    def _inside(self, depth: int) -> Iterator[str]:
        raise NotImplementedError

    def _set(self, **new: str) -> None:
        old = {name: vars(self)[name] for name in new}
        vars(self).update(new)
        self._tell(lambda: vars(self).update(old))

    def _tell(self, undo: Callable[[], None]) -> None:
        try:
            self._changed()
        except BaseException:
            undo()
            raise

    def _changed(self) -> None:
        if self._parent:
            self._parent._changed()


class Prompt(_Component):
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
        self._set(_content=checked_text(content, "content"))

    def clear(self) -> None:
        """Takes the text away."""
        self.set_content("")

    def has_content(self) -> bool:
        """Whether there is a text that is not blank."""
        return bool(self._content.strip())

    def to_json(self) -> dict[str, Any]:
        """The JSON form: `title` and `content`."""
        return {"title": self._title, "content": self._content}

    def is_as_made(self) -> bool:
        """Whether it is what `PromptContainer.prompt` makes, and nothing was done to it."""
        return not self._content and self._title == self._id

    def become(self, other: Prompt) -> None:
        """Takes over what another prompt holds, and tells nobody."""
        self._title, self._content = other._title, other._content

    def _inside(self, depth: int) -> Iterator[str]:
        return _indented(self._content, depth) if self.has_content() else iter(())


class PromptContainer(_Component):
    """Prompts and further containers under a title, each with an id that it has alone in here, in order.

    `standard` are the ids of containers that are always in it.
    """

    def __init__(self, title: str = "", *, standard: Sequence[str] = ()) -> None:
        super().__init__(title)
        self._standard = tuple(standard)
        self._children: dict[str, Prompt | PromptContainer] = {}
        self._on_change: Callable[[], None] | None = None
        self._make_standard()

    def child(self, id: str) -> PromptContainer:
        """The container of this id, made with the id as its title if there is none. ValueError if it is a prompt."""
        return self._get_or_make(id, PromptContainer)

    def prompt(self, id: str) -> Prompt:
        """The prompt of this id, made with the id as its title if there is none. ValueError if it is a container."""
        return self._get_or_make(id, Prompt)

    def add(self, component: Prompt | PromptContainer) -> None:
        """Puts a prompt or a container behind the others. Its id is its title, or made from it where that is taken.

        Raises ValueError if it is in a tree already.
        """
        if not isinstance(component, Prompt | PromptContainer):
            raise TypeError(f"add takes a Prompt or a PromptContainer, not {kind_of(component)}")
        if component._parent or component is self._root():
            raise ValueError("this component is in a tree already, and it has one place: add another one")
        ids = (f"{component.title} {number}" if number > 1 else component.title for number in count(1))
        id = next(id for id in ids if id not in self._children)
        self._put(id, component)
        self._tell(lambda: self._take_out(id))

    def clear(self) -> None:
        """Takes out all that is inside, and sets the title back to the id, to none at the root."""
        before = PromptContainer.from_json(self.to_json(), standard=self._standard)
        self.become(PromptContainer(self._id, standard=self._standard))
        self._tell(lambda: self.become(before))

    def has_content(self) -> bool:
        """Whether anything inside has content."""
        return any(component.has_content() for component in self._children.values())

    def to_json(self) -> dict[str, Any]:
        """The JSON form: `title` and `children`, each with its `id`, its `title`, and `children` or `content`."""
        return {
            "title": self._title,
            "children": [{"id": id, **component.to_json()} for id, component in self._children.items()],
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], path: str = "", *, standard: Sequence[str] = ()) -> PromptContainer:
        """The container that has this JSON form. A title that is missing is the id; missing standard ones come last.

        Raises CodecError with the path of the fault, below `path`.
        """
        copied(form, path)  # text and nesting
        container = cls()
        fill(container, form, path, containers=standard)
        container._standard = tuple(standard)
        container._make_standard()
        return container

    def is_as_made(self) -> bool:
        """Whether it is what `child` makes, and nothing was done to it."""
        return self._title == self._id and all(component.is_as_made() for component in self._children.values())

    def become(self, other: PromptContainer, *, keep_new: bool = False) -> None:
        """Takes over what another container holds, and tells nobody.

        Components in both stay the objects they are. `keep_new`: so do those to which nothing was done since they were
        made, since a caller may be about to fill them.
        """
        self._title = other._title
        mine, self._children = self._children, {}
        for id, theirs in other._children.items():
            self._put(id, _merged(mine.pop(id, None), theirs, keep_new))
        for id, gone in mine.items():
            gone._parent = None
            if keep_new and gone.is_as_made():
                self._put(id, gone)

    def watch(self, on_change: Callable[[], None]) -> None:
        """Calls back after each change in the tree whose root this is. If it raises, the change is taken back."""
        self._on_change = on_change

    def _inside(self, depth: int) -> Iterator[str]:
        for component in self._children.values():
            yield from component._lines(depth)

    def _changed(self) -> None:
        super()._changed()
        if self._on_change:
            self._on_change()

    def _root(self) -> PromptContainer:
        return self._parent._root() if self._parent else self

    def _get_or_make(self, id: str, kind: type[_Kind]) -> _Kind:
        found = self._children.get(checked_text(id, "id"))
        if found is None:
            made = kind(id)
            self._put(id, made)
            return made
        if not isinstance(found, kind):
            other = "prompt" if kind is PromptContainer else "child"
            raise ValueError(f"this id is taken by a component of the other kind: use {other}(id), or another id")
        return found

    def _put(self, id: str, component: Prompt | PromptContainer) -> None:
        component._id, component._parent = id, self
        self._children[id] = component

    def _take_out(self, id: str) -> None:
        self._children.pop(id)._parent = None

    def _make_standard(self) -> None:
        for id in self._standard:
            self.child(id)


_Kind = TypeVar("_Kind", Prompt, PromptContainer)


def _merged(
    mine: Prompt | PromptContainer | None, theirs: Prompt | PromptContainer, keep_new: bool
) -> Prompt | PromptContainer:
    if isinstance(mine, Prompt) and isinstance(theirs, Prompt):
        mine.become(theirs)
        return mine
    if isinstance(mine, PromptContainer) and isinstance(theirs, PromptContainer):
        mine.become(theirs, keep_new=keep_new)
        return mine
    if mine:
        mine._parent = None
    return theirs


def _indented(text: str, depth: int) -> Iterator[str]:
    """The lines of a text, those that are not empty behind the indent of the depth."""
    return (depth * _INDENT + line if line else line for line in text.split("\n"))
