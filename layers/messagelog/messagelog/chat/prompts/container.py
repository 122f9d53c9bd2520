"""The system prompt as a tree: containers of prompts and of further containers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import count
from typing import Any, TypeVar

from messagelog.chat.prompts.component import Component, checked_text
from messagelog.chat.prompts.prompt import Prompt
from messagelog.errors import CodecError
from messagelog.strictjson import below, copied, kind_of, require_object


class PromptContainer(Component):
    """Prompts and further containers under a title, in order. Each has an id that is unique in its container.

    Args:
        title: The title; blank for none.
        standard: The ids of containers that are always in it.

    Raises:
        CodecError: The title cannot be stored.
    """

    def __init__(self, title: str = "", *, standard: Sequence[str] = ()) -> None:
        super().__init__(title)
        self._standard = tuple(standard)
        self._children: dict[str, Prompt | PromptContainer] = {}
        self._make_standard()

    def child(self, id: str, *, replace: bool = False) -> PromptContainer:
        """Returns the container with this id. If there is none, it is made, with the id as its title.

        Args:
            id: The id.
            replace: Replace a prompt that has the id.

        Raises:
            ValueError: A prompt has the id, and `replace` is false.
        """
        return self._get_or_make(id, PromptContainer, replace)

    def prompt(self, id: str, *, replace: bool = False) -> Prompt:
        """Returns the prompt with this id. If there is none, it is made, with the id as its title.

        Args:
            id: The id.
            replace: Replace a container that has the id.

        Raises:
            ValueError: A container has the id, and `replace` is false.
        """
        return self._get_or_make(id, Prompt, replace)

    def add(self, component: Prompt | PromptContainer) -> None:
        """Adds a prompt or a container after the others.

        Args:
            component: The component. Its id becomes its title, with a number after it if that id is taken.

        Raises:
            TypeError: It is neither a prompt nor a container.
            ValueError: It is in a tree already, or it is the root of one.
        """
        if not isinstance(component, Prompt | PromptContainer):
            raise TypeError(f"add takes a Prompt or a PromptContainer, not {kind_of(component)}")
        if component._parent or component._around_changes or component is self._root():
            raise ValueError("this component is in a tree already: make another one and add that")
        ids = (f"{component.title} {number}" if number > 1 else component.title for number in count(1))
        with self._changing():
            self._put(next(id for id in ids if id not in self._children), component)

    def clear(self) -> None:
        """Takes out everything inside and resets the title to the id. The root has no title then."""
        with self._changing():
            self.become(PromptContainer(self._id, standard=self._standard))

    def has_content(self) -> bool:
        """Whether anything inside has content."""
        return any(component.has_content() for component in self._children.values())

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON form: `title` and `children`, each with `id`, `title`, and `children` or `content`."""
        return {
            "title": self._title,
            "children": [{"id": id, **component.to_json()} for id, component in self._children.items()],
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], path: str = "", *, standard: Sequence[str] = ()) -> PromptContainer:
        """Returns the container with this JSON form.

        Args:
            form: The JSON form. An absent title is the id.
            path: The path of the form, for errors.
            standard: The ids of containers that are always in it. Those that the form lacks are added last.

        Raises:
            CodecError: The form is not that of a container.
        """
        copied(form, path)  # refuses a form that nests too deep
        container = cls()
        container._read(form, path, standard)
        container._standard = tuple(standard)
        container._make_standard()
        return container

    def become(self, other: PromptContainer, *, keep_new: bool = False) -> None:
        """Takes over the content of another container, outside of any change. The other container stays as it is.

        A component that is in both keeps its object.

        Args:
            other: The other container.
            keep_new: Keep components that were made and not changed yet, since a caller may be about to fill them.
        """
        self._title = other._title
        before, after = dict(self._children), dict(other._children)
        self._children = {}
        for id, theirs in after.items():
            if id in before:
                self._children[id] = before.pop(id)
            if isinstance(theirs, Prompt):
                self._own(id, Prompt).become(theirs)
            else:
                self._own(id, PromptContainer).become(theirs, keep_new=keep_new)
        for id, gone in before.items():
            if keep_new and gone._is_as_made():
                self._children[id] = gone
            else:
                gone._take_out()
        self._make_standard()

    def snapshot(self) -> Callable[[], None]:
        """Returns a function that restores the tree: the same objects, each with its content at this time."""
        before = {component: component._held() for component in self._all()}

        def put_back() -> None:
            for component in self._all():
                if component not in before and component._parent in before:
                    component._take_out()
            for component, held in before.items():
                vars(component).update(held)

        return put_back

    def watch(self, around_changes: Callable[[], AbstractContextManager[None]]) -> None:
        """Runs every change of the tree inside a context that the caller gives. This container is the tree's root."""
        self._around_changes = around_changes

    def _all(self) -> Iterator[Component]:
        yield self
        for component in self._children.values():
            yield from component._all()

    def _held(self) -> dict[str, Any]:
        return {**vars(self), "_children": dict(self._children)}

    def _inside(self) -> str:
        return "\n".join(filter(None, (component.compose() for component in self._children.values())))

    def _measure_inside(self) -> tuple[int, int]:
        sizes = [component.measure() for component in self._children.values()]
        return sum(size for size, _ in sizes), sum(lines for _, lines in sizes)

    def _is_as_made(self) -> bool:
        return self._title == self._id and all(component._is_as_made() for component in self._children.values())

    def _get_or_make(self, id: str, kind: type[_Kind], replace: bool) -> _Kind:
        found = self._children.get(checked_text(id, "id"))
        if not found or isinstance(found, kind):
            return self._own(id, kind)
        if not replace:
            other = "prompt" if kind is PromptContainer else "child"
            raise ValueError(f"a component of the other kind has this id: use {other}(id), or another id")
        with self._changing():
            return self._own(id, kind)

    def _own(self, id: str, kind: type[_Kind]) -> _Kind:
        """Returns the component with this id and kind. If there is none, a new one replaces that of the other kind."""
        found = self._children.get(id)
        if isinstance(found, kind):
            return found
        if found:
            found._take_out()
        made = kind(id)
        self._put(id, made)
        return made

    def _put(self, id: str, component: Prompt | PromptContainer) -> None:
        component._put_into(self, id)
        self._children[id] = component

    def _make_standard(self) -> None:
        for id in self._standard:
            self.child(id)

    def _read(self, form: object, path: str, standard: Sequence[str] = ()) -> None:
        fields = require_object(form, path, ("title", "children"))
        self._title = checked_text(fields.get("title", ""), below(path, "title"))
        children, where = fields.get("children", []), below(path, "children")
        if not isinstance(children, list):
            raise CodecError(where, f"must be a list, not {kind_of(children)}")
        for index, child in enumerate(children):
            self._read_child(child, f"{where}[{index}]", standard)

    def _read_child(self, form: object, path: str, standard: Sequence[str]) -> None:
        fields = require_object(form, path, ("id", "title", "children", "content"))
        id = checked_text(fields.get("id"), below(path, "id"))
        if id in self._children:
            raise CodecError(below(path, "id"), "is the id of another component of the container")
        own = {"title": id, **{name: value for name, value in fields.items() if name != "id"}}
        if "content" not in fields:
            self.child(id)._read(own, path)
        elif "children" in fields or id in standard:
            raise CodecError(below(path, "content"), "a container has children, not content")
        else:
            self._put(id, Prompt.from_json(own, path))


_Kind = TypeVar("_Kind", Prompt, PromptContainer)
