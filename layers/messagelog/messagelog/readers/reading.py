"""Helpers of all readers: they make plain data from SDK objects, and errors with the path of the fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from messagelog.errors import CodecError
from messagelog.messages import AgentMessage, File, Role, ToolCall
from messagelog.sdk_objects import fields_of
from messagelog.strictjson import below, kind_of, refuse_kind

NOT_HELD = "is neither text nor a file that a message can hold: keep it elsewhere and refer to it in the text"
_EXPECTED = 'must be an object such as {"role": "user", "content": "…"}, a reply of the SDK, or a list of these'
_CALL_FIELDS = ("tool_calls", "invalid_tool_calls", "function_call")


def entries(messages: object) -> Iterator[tuple[str, Any]]:
    """Yields each message as plain data with its path: `[2]` in a sequence, empty for a single message."""
    try:
        value = plain(messages)
    except RecursionError:
        raise CodecError("", "is nested too deep") from None
    if not isinstance(value, list):
        yield "", value
        return
    for index, entry in enumerate(value):
        yield f"[{index}]", entry


def plain(value: Any) -> Any:
    """Returns dicts and lists in place of pydantic models, iterators and tuples, at every level."""
    held = fields_of(value)
    value = value if held is None else held
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    is_iterator = isinstance(value, Iterator) and iter(value) is value
    if is_iterator or (isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)):
        return [plain(item) for item in value]
    return value


def refuse(path: str, reason: str) -> NoReturn:
    """Raises the CodecError of a fault at `path`."""
    raise CodecError(path, reason)


def a_message(value: object, path: str) -> dict[str, Any]:
    """Returns an entry of the caller's argument if it is an object. Otherwise the error says what to pass."""
    return value if isinstance(value, dict) else refuse(path, f"{_EXPECTED}, not {kind_of(value)}")


def refuse_stream(path: str, way_out: str) -> NoReturn:
    """Refuses a piece of a streamed reply. `way_out` says how to get the whole reply."""
    refuse(path, f"is a piece of a streamed reply, not a message: {way_out}")


def an_object(value: object, path: str) -> dict[str, Any]:
    """Returns the value, if it is an object."""
    return value if isinstance(value, dict) else refuse_kind(value, path, "an object")


def a_list(value: object, path: str) -> list[Any]:
    """Returns the value, if it is a list."""
    return value if isinstance(value, list) else refuse_kind(value, path, "a list")


def a_text(fields: dict[str, Any], name: str, path: str) -> str:
    """Returns the text in the field `name` of the object at `path`."""
    value = fields.get(name)
    return value if isinstance(value, str) else refuse_kind(value, below(path, name), "text")


def an_optional_text(fields: dict[str, Any], name: str, path: str) -> str | None:
    """Returns the same, or None if the field is missing or null."""
    return None if fields.get(name) is None else a_text(fields, name, path)


def a_role(fields: dict[str, Any], name: str, path: str, roles: Mapping[str, Role]) -> Role:
    """Returns the log's role for the role in the field `name`."""
    role = a_text(fields, name, path)
    return roles[role] if role in roles else refuse(below(path, name), f"must be one of {', '.join(roles)}")


def content_of(fields: dict[str, Any], path: str, *, optional: bool) -> Any:
    """Returns the content of a message; None if it is `optional` and missing, as in a message that only calls tools."""
    content = fields.get("content")
    return content if content is not None or optional else refuse(below(path, "content"), "is missing")


def each_part(content: object, path: str) -> Iterator[tuple[str, Any]]:
    """Yields the parts of a content that is a list, each with its path. A content that is a text is one part."""
    if isinstance(content, str):
        yield path, content
    elif content is not None:
        for index, part in enumerate(a_list(content, path)):
            yield f"{path}[{index}]", part


def joined(content: object, path: str, text_of: Callable[[Any, str], str]) -> str:
    """Returns the texts of all parts of a content, joined. `text_of` gives the text of a part that is an object."""
    return "".join(
        part if isinstance(part, str) else text_of(an_object(part, where), where)
        for where, part in each_part(content, path)
    )


def texts_in(value: object) -> list[str]:
    """Returns the texts in a text, or in a list of texts and of objects with a field `text`. Anything else is skipped.

    Thinking has these forms. Unknown forms are skipped, so that the answer after the thinking is always stored.
    """
    parts = value if isinstance(value, list) else [value]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return [text for text in texts if isinstance(text, str)]


def only_assistant_calls(calls: object, role: Role, path: str) -> None:
    """Refuses calls in a message that is not the assistant's, because no view would show them."""
    if calls and role != "assistant":
        refuse(path, "holds a tool call, and only a message of the role assistant may")


def only_assistant_fields(fields: dict[str, Any], role: Role, path: str) -> None:
    """Refuses the same in each field in which OpenAI or LangChain keeps calls."""
    for name in _CALL_FIELDS:
        only_assistant_calls(fields.get(name), role, below(path, name))


def no_foreign_calls(fields: dict[str, Any], path: str) -> None:
    """Refuses calls in a field that the provider of the message does not have."""
    for name in _CALL_FIELDS:
        if fields.get(name):
            refuse(below(path, name), "is not a field of such a message: read it with from_openai or from_langchain")


@dataclass(slots=True)
class Content:
    """The text and the files of a message or of a tool's result.

    Attributes:
        texts: The parts of the text.
        files: The files, each with its place in the text.
    """

    texts: list[str] = field(default_factory=list)
    files: list[File] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The parts of the text, joined."""
        return "".join(self.texts)

    def add_file(self, file: File) -> None:
        """Adds a file, which stands after the text that was added before it."""
        self.files.append(replace(file, offset=sum(map(len, self.texts)) or None))

    def message(self, role: Role, name: str | None = None, call_id: str | None = None) -> AgentMessage:
        """Returns a message with this text and these files."""
        return AgentMessage(role, self.text, name=name, tool_call_id=call_id, files=tuple(self.files))


def read_content(
    content: object, path: str, file_of: Callable[[Any, str], File | None], text_of: Callable[[Any, str], str]
) -> Content:
    """Returns what the parts of a content hold.

    Args:
        content: A text, or a list of parts. None is the same as an empty list.
        path: Its path.
        file_of: Returns the file of a part that is an object, None if it is not a file.
        text_of: Returns the text of such a part.
    """
    found = Content()
    for where, part in each_part(content, path):
        if isinstance(part, str):
            found.texts.append(part)
        elif (file := file_of(an_object(part, where), where)) is not None:
            found.add_file(file)
        else:
            found.texts.append(text_of(part, where))
    return found


@dataclass(slots=True)
class Found(Content):
    """The parts of one message of another library.

    Attributes:
        thoughts: The texts of its thinking.
        calls: Its tool calls.
        results: The results of tools in it, as messages.
    """

    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[AgentMessage] = field(default_factory=list)

    def messages(
        self,
        role: Role,
        name: str | None = None,
        complete: Callable[[AgentMessage], AgentMessage] = lambda message: message,
    ) -> list[AgentMessage]:
        """Returns the thinking, the results, and the message itself. An empty message is left out if there are others.

        Args:
            role: The role of the message.
            name: Its name.
            complete: Returns the message with its original, if it has one.
        """
        found = [AgentMessage("reasoning", thought) for thought in self.thoughts if thought] + self.results
        message = complete(replace(self.message(role, name), tool_calls=tuple(self.calls)))
        if message.content or message.tool_calls or message.files or message.original or not found:
            found.append(message)
        return found
