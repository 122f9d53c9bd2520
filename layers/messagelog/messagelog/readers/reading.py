"""What the readers of all kinds of messages share: plain data out of SDK objects, and faults with their path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from messagelog.errors import CodecError
from messagelog.messages import AgentMessage, Role, ToolCall
from messagelog.sdk_objects import fields_of
from messagelog.strictjson import below, refuse_kind

NOT_TEXT = "is not text, and a message holds text only: keep it elsewhere and refer to it in the text"
_CALL_FIELDS = ("tool_calls", "invalid_tool_calls", "function_call")


def entries(messages: object) -> Iterator[tuple[str, Any]]:
    """Each message as plain data, with its path: `[2]` in a sequence, nothing for a message by itself."""
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
    """Dicts and lists in place of pydantic models, iterators and tuples, all the way down."""
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


def an_object(value: object, path: str) -> dict[str, Any]:
    """The value, if it is an object."""
    return value if isinstance(value, dict) else refuse_kind(value, path, "an object")


def a_list(value: object, path: str) -> list[Any]:
    """The value, if it is a list."""
    return value if isinstance(value, list) else refuse_kind(value, path, "a list")


def a_text(fields: dict[str, Any], name: str, path: str) -> str:
    """The text in the field `name` of what is at `path`."""
    value = fields.get(name)
    return value if isinstance(value, str) else refuse_kind(value, below(path, name), "text")


def an_optional_text(fields: dict[str, Any], name: str, path: str) -> str | None:
    """The same, None where the field is missing or null."""
    return None if fields.get(name) is None else a_text(fields, name, path)


def a_role(fields: dict[str, Any], name: str, path: str, roles: Mapping[str, Role]) -> Role:
    """The log's role for the one in the field `name`."""
    role = a_text(fields, name, path)
    return roles[role] if role in roles else refuse(below(path, name), f"must be one of {', '.join(roles)}")


def each_part(content: object, path: str) -> Iterator[tuple[str, Any]]:
    """The parts of a content that is a list, each with its path; a content that is one text is one part."""
    if isinstance(content, str):
        yield path, content
    elif content is not None:
        for index, part in enumerate(a_list(content, path)):
            yield f"{path}[{index}]", part


def content_of(fields: dict[str, Any], path: str, *, optional: bool = False) -> Any:
    """The content of a message. Only `optional` may it be missing: where the message says something beside it."""
    content = fields.get("content")
    return content if content is not None or optional else refuse(below(path, "content"), "is missing")


def only_assistant_calls(calls: object, role: Role, path: str) -> None:
    """Refuses the calls of a message that is not the assistant's, since no view would show them."""
    if calls and role != "assistant":
        refuse(path, "holds a tool call, and only a message of the role assistant may")


def only_assistant_fields(fields: dict[str, Any], role: Role, path: str) -> None:
    """The same, for each field in which OpenAI or LangChain keep calls."""
    for name in _CALL_FIELDS:
        only_assistant_calls(fields.get(name), role, below(path, name))


def no_foreign_calls(fields: dict[str, Any], path: str) -> None:
    """Refuses the calls of a message that has them in another place than its provider reads."""
    for name in _CALL_FIELDS:
        if fields.get(name):
            refuse(below(path, name), "is no field of such a message: from_openai and from_langchain read it")


def joined(content: object, path: str, text_of: Callable[[Any, str], str]) -> str:
    """The texts of all parts of a content, joined."""
    return "".join(
        part if isinstance(part, str) else text_of(an_object(part, where), where)
        for where, part in each_part(content, path)
    )


@dataclass(slots=True)
class Found:
    """What was found in one message of another library."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[AgentMessage] = field(default_factory=list)

    @property
    def says_something(self) -> bool:
        """Whether anything but empty text was found so far."""
        return any((*self.texts, *self.thoughts, *self.calls, *self.results))

    def messages(self, role: Role, name: str | None = None) -> list[AgentMessage]:
        """Thinking first, then results, then the message itself, unless it has nothing to say beside those."""
        found = [AgentMessage("reasoning", thought) for thought in self.thoughts if thought] + self.results
        text = "".join(self.texts)
        if text or self.calls or not found:
            found.append(AgentMessage(role, text, name=name, tool_calls=tuple(self.calls)))
        return found
