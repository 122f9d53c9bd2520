"""The tool calls of a streamed reply, put together from their pieces.

Endpoints that are compatible with OpenAI split a call into pieces in different ways, and a piece does not say which:

    index of the calls   ids                        names                    seen at
    1 for each call      in the first piece         in the first piece       OpenAI, vLLM, llama-server
    1 for each call      in every piece             in the first or every    DeepSeek, Qwen, LiteLLM
    1 for each call      another in each piece      in the first piece       proxies that make up ids
    1 for each call      in the first piece         in pieces of its own     endpoints that stream every token
    0 for all, or none   1 for each call            in the first piece       Ollama (issues 7881 and 15457)
    0 for all, or none   none                       in the first or every    Gemini's compatible endpoint, proxies

(github.com/langchain4j/langchain4j/pull/4544 and github.com/BerriAI/litellm/issues/20480 show ids in every piece.)
The rules:

1. A piece without a name never begins a call. It belongs to the call of its index, or else to the last call.
2. A piece with a name begins a call if its index has none.
3. A piece with the name of its index's call begins another call only if the arguments so far are whole JSON, and
   only if its id is not the call's id.
4. A piece with another name begins another call if arguments have begun, or if both ids are known and differ.
   Otherwise it continues the name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from messagelog.chat.providers import ToolCallDelta
from messagelog.messages import ToolCall
from messagelog.readers.openai import tool_call
from messagelog.strictjson import MAX_LEVELS, loads

_ENDS_OF_JSON = ("}", "]", '"', "null")


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def add(self, piece: ToolCallDelta) -> None:
        self.id = self.id or piece.id
        if piece.name != self.name:
            self.name += piece.name
        if piece.arguments:
            self.arguments.append(piece.arguments)

    def is_whole(self) -> bool:
        """Whether the arguments are complete JSON. To save time, only a text that ends like JSON is parsed."""
        if not self.arguments or not self.arguments[-1].rstrip().endswith(_ENDS_OF_JSON):
            return False
        try:
            loads("".join(self.arguments), max_levels=MAX_LEVELS)
        except ValueError:
            return False
        return True


class StreamedCalls:
    """The calls of one reply, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._without_name: dict[int, _Call] = {}

    def __bool__(self) -> bool:
        """Whether a call has begun."""
        return bool(self._calls)

    @property
    def lack_a_name(self) -> bool:
        """Whether there are pieces of a call whose name is missing."""
        return bool(self._without_name)

    def add(self, piece: ToolCallDelta) -> None:
        """Adds the next piece to the call that it belongs to."""
        call = self._by_index.get(piece.index)
        if piece.name and (call is None or _is_another(piece, call)):
            call = self._begin(piece.index)
        if call is None:
            call = self._calls[-1] if self._calls else self._without_name.setdefault(piece.index, _Call())
        call.add(piece)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Returns the calls. Arguments that are not JSON stay text. A call without an id gets an empty id."""
        return tuple(_tool_call(call) for call in self._calls)

    def _begin(self, index: int) -> _Call:
        call = self._without_name.pop(index, None) or _Call()
        self._calls.append(call)
        self._by_index[index] = call
        return call


def _is_another(piece: ToolCallDelta, call: _Call) -> bool:
    """Whether a piece with a name begins another call (rules 3 and 4)."""
    if piece.name == call.name:
        return call.is_whole() and not (piece.id and piece.id == call.id)
    return bool(call.arguments) or (bool(piece.id and call.id) and piece.id != call.id)


def _tool_call(call: _Call) -> ToolCall:
    function = {"name": joined([call.name]), "arguments": joined(call.arguments)}
    return tool_call({"id": joined([call.id]), "function": function}, "toolCalls")


def joined(pieces: Iterable[str]) -> str:
    """Returns the text of the pieces.

    If a character was split into its two surrogates, they are joined. A lone surrogate is replaced by U+FFFD.
    """
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
