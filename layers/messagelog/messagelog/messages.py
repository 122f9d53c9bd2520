"""The values of a conversation: pure, frozen, and without any knowledge of where they are kept."""

from __future__ import annotations

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

    `id` is the model's own; the tool message that answers it carries it as `tool_call_id`. `args` is any JSON value.
    """

    id: str
    name: str
    args: JSONValue


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message of a conversation, in no provider's dialect.

    `role` and `content` are always there. `name` is the tool's name for role `tool`, else a speaker's label.
    `tool_calls` are the calls an assistant asks for; `tool_call_id` links a tool's result to its call.
    The role `reasoning`, `origin` (who caused the message) and `created_at` (when it was made, which may be long before
    it is stored; UTC) belong to the chat layer.
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
        if given is None or isinstance(given, list):  # what a caller has at hand, kept as a read gives it back
            object.__setattr__(self, "tool_calls", tuple(given or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage(AgentMessage):
    """A message as the log holds it.

    `seq` is its number, 1, 2, 3 … without a gap, and the only order. `at` is when it was appended (UTC, to the
    microsecond): information, never an order.
    """

    seq: int
    at: datetime

    @classmethod
    def of(cls, message: AgentMessage, *, seq: int, at: datetime) -> StoredMessage:
        """The same message, stored as number `seq` at the time `at`."""
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
