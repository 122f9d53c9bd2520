"""Prompt trees out of their JSON form, checked with the path of each fault."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from messagelog.errors import CodecError
from messagelog.strictjson import below, is_unicode, kind_of, require_object

if TYPE_CHECKING:
    from messagelog.chat.prompt import PromptContainer


def fill(root: PromptContainer, form: object, path: str, *, containers: Collection[str]) -> None:
    """Puts into an empty container what its form says. The ids in `containers` are for containers only.

    Raises CodecError with the path of the fault, below `path`.
    """
    fields = require_object(form, path, ("title", "children"))
    root.set_title(checked_text(fields.get("title", ""), below(path, "title")))
    _fill_children(root, fields.get("children", []), below(path, "children"), containers)


def checked_text(value: object, path: str) -> str:
    """The value, if it is a text that can be stored; else CodecError."""
    if type(value) is not str:
        raise CodecError(path, f"must be text, not {kind_of(value)}")
    if not is_unicode(value):
        raise CodecError(path, "holds a lone surrogate, which is no Unicode text")
    return value


def _fill_children(parent: PromptContainer, forms: object, path: str, containers: Collection[str]) -> None:
    if not isinstance(forms, list):
        raise CodecError(path, f"must be a list, not {kind_of(forms)}")
    seen: set[str] = set()
    for index, form in enumerate(forms):
        where = f"{path}[{index}]"
        fields = require_object(form, where, ("id", "title", "children", "content"))
        id = checked_text(fields.get("id"), below(where, "id"))
        if id in seen:
            raise CodecError(below(where, "id"), "stands twice in its container")
        seen.add(id)
        title = checked_text(fields.get("title", id), below(where, "title"))
        if "content" not in fields:
            child = parent.child(id)
            child.set_title(title)
            _fill_children(child, fields.get("children", []), below(where, "children"), ())
        elif "children" in fields or id in containers:
            raise CodecError(below(where, "content"), "a container has children and no content")
        else:
            prompt = parent.prompt(id)
            prompt.set_title(title)
            prompt.set_content(checked_text(fields["content"], below(where, "content")))
