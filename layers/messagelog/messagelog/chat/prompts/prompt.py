"""A prompt: a text of the system prompt under a title."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messagelog.chat.prompts.component import Component, checked_text, measured
from messagelog.strictjson import below, require_object


class Prompt(Component):
    """A text of the system prompt under a title.

    Args:
        title: The title; blank for none.
        content: The text.

    Raises:
        CodecError: The title or the text cannot be stored.
    """

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
        """Removes the text."""
        self.set_content("")

    def has_content(self) -> bool:
        """Whether there is a text that is not blank."""
        return bool(self._content.strip())

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON form: `title` and `content`."""
        return {"title": self._title, "content": self._content}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], path: str = "") -> Prompt:
        """Returns the prompt with this JSON form.

        Args:
            form: The JSON form. An absent field is empty.
            path: The path of the form, for errors.

        Raises:
            CodecError: The form is not that of a prompt.
        """
        fields = require_object(form, path, ("title", "content"))
        title = checked_text(fields.get("title", ""), below(path, "title"))
        return cls(title, checked_text(fields.get("content", ""), below(path, "content")))

    def become(self, other: Prompt) -> None:
        """Takes over the title and the text of another prompt, outside of any change."""
        self._title, self._content = other._title, other._content

    def _inside(self) -> str:
        return self._content if self.has_content() else ""

    def _measure_inside(self) -> tuple[int, int]:
        return measured(self._content) if self.has_content() else (0, 0)

    def _is_as_made(self) -> bool:
        return not self._content and self._title == self._id
