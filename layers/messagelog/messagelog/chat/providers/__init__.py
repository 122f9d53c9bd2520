"""Where a chat's answers come from: one small protocol, and the events that a reply streams in.

Each event has a `kind` by which stream hooks pick it.

A provider is imported from its own module, since each needs a package that others do not: `providers.openai`,
`providers.bedrock`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from messagelog.messages import StoredMessage


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """The next piece of the answer's text."""

    kind: ClassVar[Literal["content"]] = "content"
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of the model's thinking."""

    kind: ClassVar[Literal["reasoning"]] = "reasoning"
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """The next piece of a tool call: `index` tells the calls of a reply apart, `arguments` is a part of a JSON text.

    `id` and `name` come with the first piece of a call, and are empty in the others.
    """

    kind: ClassVar[Literal["tool_call"]] = "tool_call"
    index: int
    id: str
    name: str
    arguments: str

    @property
    def text(self) -> str:
        """What hooks look through."""
        return self.arguments


@dataclass(frozen=True, slots=True)
class Finish:
    """The reply has come to its end, for a reason in the provider's words; without this event, it broke off.

    `is_cut`: the model was stopped before it had said all, so that a tool call may lack a part of its arguments.
    """

    kind: ClassVar[Literal["finish"]] = "finish"
    reason: str
    is_cut: bool = False


Event: TypeAlias = ContentDelta | ReasoningDelta | ToolCallDelta | Finish


class ToolSpec(Protocol):
    """What a model is told of a tool: a name of `[a-zA-Z0-9_-]{1,64}`, and its parameters as a JSON schema."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


class Provider(Protocol):
    """A model that answers. Implementations are safe to use from many threads."""

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        """The messages as the provider takes them."""
        ...

    def stream(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> Iterator[Event]:
        """Asks the model, and yields its reply as it comes, Finish last.

        `messages` are what `view` gave. An iterator that is dropped ends the request. Raises ProviderError, whose text
        holds nothing of the conversation.
        """
        ...
