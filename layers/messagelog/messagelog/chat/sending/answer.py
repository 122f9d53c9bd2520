"""Collects the events of a model's streamed reply, and makes the messages to record from them."""

from __future__ import annotations

from datetime import UTC, datetime

from messagelog.chat.errors import ProviderError
from messagelog.chat.providers import ContentDelta, Event, Finish, ReasoningDelta, ToolCallDelta
from messagelog.chat.sending.streamed_calls import StreamedCalls, joined
from messagelog.messages import AgentMessage


class Answer:
    """One reply.

    Attributes:
        finish: The end of the reply. A reply without an end broke off and is not recorded. If several ends come, an end
            with `is_cut` is kept.
    """

    def __init__(self) -> None:
        self.finish: Finish | None = None
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls = StreamedCalls()

    def take(self, event: Event) -> None:
        """Adds the next event."""
        match event:
            case ContentDelta(text):
                self._text.append(text)
            case ReasoningDelta(text):
                self._thinking.append(text)
            case ToolCallDelta():
                self._calls.add(event)
            case Finish() if not (self.finish and self.finish.is_cut):
                self.finish = event

    @property
    def says_nothing(self) -> bool:
        """Whether the reply has neither text nor a call."""
        return not any(self._text) and not self._calls

    def messages(self) -> list[AgentMessage]:
        """Returns the reasoning, if there is any, and the assistant's message with its tool calls.

        Raises:
            ProviderError: A tool call of a reply that is not cut has no name.
        """
        if self._calls.lack_a_name and not (self.finish and self.finish.is_cut):
            raise ProviderError("the provider's reply holds a tool call without a name")
        now = datetime.now(UTC)
        calls = self._calls.tool_calls()
        said = AgentMessage("assistant", joined(self._text), tool_calls=calls, origin="model", created_at=now)
        thinking = joined(self._thinking)
        thought = AgentMessage("reasoning", thinking, origin="model", created_at=now)
        return [thought, said] if thinking else [said]
