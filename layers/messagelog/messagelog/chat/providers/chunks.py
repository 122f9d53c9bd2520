"""Reads the chunks of a streamed chat completion, which are objects of the OpenAI SDK.

The SDK does not check the types of a chunk, so every field is checked here: anything of a wrong type is a
ProviderError. Sources of the fields, in addition to "The chat completion chunk object"
(platform.openai.com/docs/api-reference/ chat-streaming): reasoning is `reasoning_content` (vLLM, DeepSeek) or
`reasoning` (OpenRouter, Ollama); `content` may be a list of text and thinking (Mistral, "Reasoning"); an error may be
in a chunk or in a choice (OpenRouter, "Errors and Debugging").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from messagelog.chat.errors import ProviderError
from messagelog.chat.providers import ContentDelta, Event, ReasoningDelta, ToolCallDelta
from messagelog.chat.providers.finish_reasons import finish, is_code


def events(chunks: Iterable[object]) -> Iterator[Event]:
    """Yields the events of a reply. If it has several choices, only the first one is read.

    Raises:
        ProviderError: A chunk holds an error or is malformed.
    """
    first: int | None = None
    for chunk in chunks:
        _raise_error_in(_object(chunk, "chunk"))
        for choice in _list(_get(chunk, "choices"), "choices"):
            _raise_error_in(_object(choice, "choices[]"))
            index = _index(_get(choice, "index"), "choices[].index")
            first = index if first is None else first
            if index == first:
                yield from _choice_events(choice)


def error_code(error: object) -> str:
    """Returns the code of an error object of a provider, or else its type; empty if it has neither."""
    code, kind = _get(error, "code"), _get(error, "type")
    found = (str(word) for word in (code, kind) if is_code(word) or type(word) is int)
    return next(found, "")


def _choice_events(choice: object) -> Iterator[Event]:
    delta = _get(choice, "delta")
    if delta is not None:
        yield from _delta_events(_object(delta, "delta"))
    reason = _get(choice, "finish_reason")
    if reason is not None and reason != "":
        yield finish(_text(reason, "finish_reason"))


def _delta_events(delta: object) -> Iterator[Event]:
    thinking = _get(delta, "reasoning_content") or _get(delta, "reasoning")
    if isinstance(thinking, str):
        yield ReasoningDelta(thinking)
    yield from _content_events(_get(delta, "content"))
    if refusal := _text(_get(delta, "refusal"), "refusal"):
        yield ContentDelta(refusal)
    for place, call in enumerate(_list(_get(delta, "tool_calls"), "tool_calls")):
        yield _piece(_object(call, "tool_calls[]"), place)
    if function := _get(delta, "function_call"):  # the older form of a single call
        yield ToolCallDelta(0, "", *_name_and_arguments(function))


def _content_events(content: object) -> Iterator[Event]:
    if not isinstance(content, list):
        if text := _text(content, "content"):
            yield ContentDelta(text)
        return
    for part in content:
        if isinstance(part, dict) and part.get("type") == "thinking":
            for thought in _list(part.get("thinking"), "thinking"):
                yield ReasoningDelta(_text(_get(thought, "text"), "thinking[].text"))
        elif isinstance(part, dict) and part.get("type") == "text":
            yield ContentDelta(_text(part.get("text"), "content[].text"))


def _piece(call: object, place: int) -> ToolCallDelta:
    """The piece of a tool call. If calls of a chunk have no index, their place in the chunk is used."""
    given = _get(call, "index")
    index = place if given is None else _index(given, "tool_calls[].index")
    return ToolCallDelta(index, _text(_get(call, "id"), "id"), *_name_and_arguments(_get(call, "function")))


def _name_and_arguments(function: object) -> tuple[str, str]:
    if function is None:
        return "", ""
    _object(function, "function")
    return _text(_get(function, "name"), "name"), _text(_get(function, "arguments"), "arguments")


def _raise_error_in(node: object) -> None:
    error = _get(node, "error")
    if error:
        code = error_code(error)
        named = f" ({code})" if code else ""
        raise ProviderError(f"the provider broke off its reply with an error{named}", code=code) from None


def _get(node: Any, name: str) -> Any:
    return node.get(name) if isinstance(node, dict) else getattr(node, name, None)


def _object(value: object, what: str) -> object:
    if value is None or isinstance(value, (str, int, float, list)):
        _refuse(what, "an object")
    return value


def _list(value: object, what: str) -> list[Any]:
    if value is not None and not isinstance(value, list):
        _refuse(what, "a list")
    return value or []


def _text(value: object, what: str) -> str:
    if value is not None and not isinstance(value, str):
        _refuse(what, "text")
    return value or ""


def _index(value: object, what: str) -> int:
    if value is not None and type(value) is not int:
        _refuse(what, "a whole number")
    return value or 0


def _refuse(what: str, expected: str) -> NoReturn:
    reason = f"the provider's reply is not a stream of chat completion chunks: {what} is not {expected}"
    raise ProviderError(reason, code="BadChunk") from None
