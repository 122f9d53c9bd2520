"""The protocol of a model's provider, and the events in which a reply is streamed.

Each provider is imported from its own module, since each needs a package that the others do not need:
`messagelog.chat.providers.openai` and `messagelog.chat.providers.bedrock`.
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
    """The next piece of the model's reasoning."""

    kind: ClassVar[Literal["reasoning"]] = "reasoning"
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """The next piece of a tool call.

    Attributes:
        index: Tells the calls of a reply apart. Some endpoints give 0 to all calls.
        id: The id of the call. It is usually empty after the first piece.
        name: The name of the tool. It is usually empty after the first piece.
        arguments: A part of the JSON text of the arguments.
    """

    kind: ClassVar[Literal["tool_call"]] = "tool_call"
    index: int
    id: str
    name: str
    arguments: str

    @property
    def text(self) -> str:
        """The text in which a hook's pattern is searched."""
        return self.arguments


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a reply. A reply without this event broke off.

    Attributes:
        reason: The provider's word for the reason.
        is_cut: Whether the model was stopped before it had said everything, so that a tool call may lack a part of its
            arguments. No tool of such a reply runs.
    """

    kind: ClassVar[Literal["finish"]] = "finish"
    reason: str
    is_cut: bool = False


Event: TypeAlias = ContentDelta | ReasoningDelta | ToolCallDelta | Finish


class ToolSpec(Protocol):
    """The description of a tool for the model.

    Attributes:
        name: 1 to 64 of a-z, A-Z, 0-9, `_` and `-`.
        description: A text for the model; it may be empty.
        parameters: The JSON schema of the arguments.
    """

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


class Provider(Protocol):
    """A model that answers. Implementations are safe to use from many threads."""

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        """Returns the messages in the provider's form."""
        ...

    def stream(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> Iterator[Event]:
        """Asks the model, and yields its reply while it comes.

        Closing the iterator ends the request.

        Args:
            system: The system prompt; None for none.
            messages: The messages, in the form that `view` returns.
            tools: The tools that the model may call.

        Yields:
            The events of the reply. The last one is Finish.

        Raises:
            ProviderError: No whole reply came. The text of the error holds nothing of the conversation.
        """
        ...
