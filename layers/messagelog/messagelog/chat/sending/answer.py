"""A model's reply as the messages that are recorded, gathered from the events it streams in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from messagelog.chat.providers import ContentDelta, Event, Finish, ReasoningDelta, ToolCallDelta
from messagelog.messages import AgentMessage, ToolCall
from messagelog.readers.openai import tool_call
from messagelog.strictjson import MAX_LEVELS, loads


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Answer:
    """One reply. `finish` is its last event; a reply that has none broke off, and is not to be recorded."""

    def __init__(self) -> None:
        self.finish: Finish | None = None
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def take(self, event: Event) -> None:
        """Adds the next event."""
        match event:
            case ContentDelta(text):
                self._text.append(text)
            case ReasoningDelta(text):
                self._thinking.append(text)
            case ToolCallDelta():
                call = self._call_of(event)
                call.id, call.name = call.id or event.id, call.name or event.name
                call.arguments.append(event.arguments)
            case Finish():
                self.finish = event

    @property
    def says_nothing(self) -> bool:
        """Whether there is neither a text nor a call in it."""
        return not any(self._text) and not self._calls

    def messages(self) -> list[AgentMessage]:
        """The thinking, if there was any, and the assistant's message with its tool calls.

        Arguments that are no JSON stay text.
        """
        now = datetime.now(UTC)
        calls = tuple(_tool_call(call) for call in self._calls)
        said = AgentMessage("assistant", _joined(self._text), tool_calls=calls, origin="model", created_at=now)
        thinking = _joined(self._thinking)
        thought = AgentMessage("reasoning", thinking, origin="model", created_at=now)
        return [thought, said] if thinking else [said]

    def _call_of(self, delta: ToolCallDelta) -> _Call:
        """The call that a piece belongs to.

        Some endpoints give all calls the index 0: another id is another call there. Some give no ids, and repeat the
        name in each piece: then another name is another call, and the same one is if the arguments are whole.
        """
        call = self._by_index.get(delta.index)
        if call is None or _is_another(delta, call):
            call = self._by_index[delta.index] = _Call()
            self._calls.append(call)
        return call


def _is_another(delta: ToolCallDelta, call: _Call) -> bool:
    if delta.id or call.id:
        return bool(delta.id and call.id) and delta.id != call.id
    return bool(delta.name and call.name) and (delta.name != call.name or _is_json("".join(call.arguments)))


def _is_json(text: str) -> bool:
    try:
        loads(text, max_levels=MAX_LEVELS)
    except ValueError:
        return False
    return True


def _tool_call(call: _Call) -> ToolCall:
    function = {"name": _joined([call.name]), "arguments": _joined(call.arguments)}
    return tool_call({"id": _joined([call.id]), "function": function}, "toolCalls")


def _joined(pieces: Iterable[str]) -> str:
    """The text of the pieces. A character that was cut into two surrogates is whole again; half of one is replaced."""
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
