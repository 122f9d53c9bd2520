"""The values of a conversation: pure, frozen, and independent of where they are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

Role: TypeAlias = Literal["system", "user", "assistant", "tool", "reasoning"]
Origin: TypeAlias = Literal["user", "model", "tool", "hook", "system"]
JSONValue: TypeAlias = "bool | int | float | str | list[JSONValue] | dict[str, JSONValue] | None"

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
class AgentMessage:
    """A message of a conversation, in a form that belongs to no provider.

    Attributes:
        role: Who speaks. The role `reasoning` belongs to the chat layer.
        content: The text.
        name: The tool's name for role `tool`, otherwise a label of the speaker.
        tool_calls: The calls that an assistant asks for. A list is accepted and kept as a tuple.
        tool_call_id: The id of the call that a tool's result answers.
        origin: What caused the message. It belongs to the chat layer.
        created_at: When the message was made (UTC), maybe long before it is stored. It belongs to the chat layer.
    """

    role: Role
    content: str
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    origin: Origin | None = None
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        given: object = self.tool_calls
        if given is None or isinstance(given, list):
            object.__setattr__(self, "tool_calls", tuple(given or ()))


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
        return cls(
            role=message.role,
            content=message.content,
            name=message.name,
            tool_calls=message.tool_calls,
            tool_call_id=message.tool_call_id,
            origin=message.origin,
            created_at=message.created_at,
            seq=seq,
            at=at,
        )


class Messages(list[StoredMessage]):
    """A part of a log, oldest first, that knows how it was cut.

    `reach` is how far after a call its result may stand to belong to it: a number of messages in a window, None in a
    whole log. Every view follows it. A plain list of messages counts as a whole log.
    """

    def __init__(self, messages: Iterable[StoredMessage] = (), *, reach: int | None = None) -> None:
        super().__init__(messages)
        self.reach = reach
