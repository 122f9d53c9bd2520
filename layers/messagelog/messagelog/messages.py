"""The values of a conversation. They are immutable and do not depend on the storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Literal, TypeAlias, get_args

Role: TypeAlias = Literal["system", "user", "assistant", "tool", "reasoning"]
Origin: TypeAlias = Literal["user", "model", "tool", "hook", "system"]
JSONValue: TypeAlias = "bool | int | float | str | Sequence[JSONValue] | Mapping[str, JSONValue] | None"

ROLES: tuple[Role, ...] = get_args(Role)
ORIGINS: tuple[Origin, ...] = get_args(Origin)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as the model asked for it.

    Attributes:
        id: The model's own id. The tool message that answers the call carries it as `tool_call_id`.
        name: The name of the tool.
        args: Any JSON value.
    """

    id: str
    name: str
    args: JSONValue


@dataclass(frozen=True, slots=True)
class File:
    """A file of a message: an image, a document, audio or video. It has either `data` or `url`.

    Attributes:
        media_type: Its type, in lower case and without parameters, such as `image/png`.
        data: Its bytes.
        url: The place where the model can get it: `https://…`, `s3://…`, `gs://…`, `openai-file:ID` or
            `anthropic-file:ID`.
        name: Its name.
        offset: The position of the file in the content: the index of the character after it, counted in Unicode code
            points. None if the file comes before the text.
    """

    media_type: str
    data: bytes | None = None
    url: str | None = None
    name: str | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Original:
    """A model's turn as its API sent it. Some APIs only accept a history that holds their own turns unchanged.

    Attributes:
        api: The API: `anthropic`, `bedrock`, `gemini`, `openai` or `responses`, or a name that an adapter chose.
        blocks: The turn as JSON of that API. Bytes are written as base64 (RFC 4648, section 4).
        model: The model, as the reply names it.
    """

    api: str
    blocks: list[JSONValue]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message of a conversation, in a form that belongs to no provider.

    Attributes:
        role: The speaker. The role `reasoning` belongs to the chat layer.
        content: The text.
        name: The tool's name for role `tool`, otherwise a label of the speaker.
        tool_calls: The calls that an assistant asks for. A list is accepted and kept as a tuple.
        tool_call_id: The id of the call that a tool's result answers.
        origin: The cause of the message. It belongs to the chat layer.
        created_at: When the message was made (UTC), maybe long before it is stored. It belongs to the chat layer.
        files: The files of the message. A list is accepted and kept as a tuple. The role `reasoning` has none.
        original: The model's turn as its API sent it.
    """

    role: Role
    content: str
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    origin: Origin | None = None
    created_at: datetime | None = None
    files: tuple[File, ...] = ()
    original: Original | None = None

    def __post_init__(self) -> None:
        if type(self.tool_calls) is not tuple:
            _keep_as_tuple(self, "tool_calls")
        if type(self.files) is not tuple:
            _keep_as_tuple(self, "files")


def _keep_as_tuple(message: AgentMessage, name: str) -> None:
    """Replaces a list, or None, by a tuple. Anything else stays for the check on the way into a log."""
    given = getattr(message, name)
    if given is None or isinstance(given, list):
        object.__setattr__(message, name, tuple(given or ()))


_MESSAGE_FIELDS = tuple(field.name for field in fields(AgentMessage))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage(AgentMessage):
    """A message as the log holds it.

    Attributes:
        seq: Its number: 1, 2, 3 … without a gap. Messages are ordered by it alone.
        at: When it was appended (UTC, to the microsecond), for information only.
    """

    seq: int
    at: datetime

    @classmethod
    def of(cls, message: AgentMessage, *, seq: int, at: datetime) -> StoredMessage:
        """Returns the same message, stored as number `seq` at the time `at`."""
        return cls(**{name: getattr(message, name) for name in _MESSAGE_FIELDS}, seq=seq, at=at)


class Messages(list[StoredMessage]):
    """A part of a log, oldest first, that knows how it was cut.

    A plain list of messages counts as a whole log.

    Attributes:
        reach: The largest distance between a call and its result: a number of messages in a window, None in a whole
            log. A result at a larger distance does not belong to the call. All views use this rule.
        same_start_from: The first seq at which a window of the same limits began where this one begins. A turn before
            it was made in another window. 0 in a whole log.
    """

    def __init__(
        self, messages: Iterable[StoredMessage] = (), *, reach: int | None = None, same_start_from: int = 0
    ) -> None:
        super().__init__(messages)
        self.reach = reach
        self.same_start_from = same_start_from
