"""Answers from OpenAI, or from any endpoint that speaks its Chat Completions API.

Rules from the API reference, `POST /v1/chat/completions` and "The chat completion chunk object"
(platform.openai.com/docs/api-reference/chat). Compatible endpoints stream a model's thinking as `reasoning_content`
(vLLM, DeepSeek) or `reasoning` (OpenRouter, Ollama). It cannot be given back, and is not asked for: an endpoint whose
model thinks unasked is told not to by `options`.

With the `finish_reason` `length` or `content_filter`, content is missing ("The chat completion object" there), and so
may be a part of a tool call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

try:
    import openai
except ImportError as error:
    how = "pip install 'openai>=3.57,<4'"
    raise ImportError(f"OpenAIProvider needs what the extra messagelog[openai] brings: {how}") from error

from messagelog.chat.errors import ProviderError
from messagelog.chat.providers import ContentDelta, Event, Finish, ReasoningDelta, ToolCallDelta, ToolSpec
from messagelog.messages import StoredMessage
from messagelog.views.openai import to_openai

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDelta

NO_KEY = "none"  # the SDK insists on one
_CUT = ("length", "content_filter")
_CODE = re.compile(r"[\w.-]{1,64}", re.ASCII)


class OpenAIProvider:
    """A model behind the Chat Completions API.

    Without `base_url` it is OpenAI's own. Without `api_key` the key is OPENAI_API_KEY's; an endpoint at `base_url` may
    ask for none, and none need be set. `timeout` is how many seconds may pass without a byte. Requests that fail before
    the reply begins are sent again, at most `max_retries` times. `options` are further fields of the request, such as
    `temperature`. A `client` that is given is used as it is.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 120,
        max_retries: int = 2,
        options: Mapping[str, Any] | None = None,
        client: openai.OpenAI | None = None,
    ) -> None:
        self._model = model
        self._options = dict(options or {})
        self._client = client or _client(base_url, api_key, timeout=timeout, max_retries=max_retries)

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        """See `Provider.view`."""
        return to_openai(messages)

    def stream(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> Iterator[Event]:
        """See `Provider.stream`. The system prompt is the first message."""
        prompt = [] if system is None else [{"role": "system", "content": system}]
        request: dict[str, Any] = {"model": self._model, "messages": [*prompt, *messages]}
        if tools:  # an empty list is refused
            request["tools"] = [_function(tool) for tool in tools]
        try:
            with self._client.chat.completions.create(**request, stream=True, extra_body=self._options) as chunks:
                for chunk in chunks:
                    yield from _events(chunk)
        except openai.APIError as error:
            raise _error_of(error) from None
        except (ValueError, TypeError, AttributeError):  # the SDK does not check what an endpoint sends
            raise ProviderError("the provider's reply is no stream of chat completion chunks") from None


def _client(base_url: str | None, api_key: str | None, **how: Any) -> openai.OpenAI:
    try:
        return openai.OpenAI(base_url=base_url, api_key=api_key or None, **how)
    except openai.OpenAIError:  # there is no key, also not in OPENAI_API_KEY
        if base_url is None:
            raise
        return openai.OpenAI(base_url=base_url, api_key=NO_KEY, **how)


def _function(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _events(chunk: ChatCompletionChunk) -> Iterator[Event]:
    """The events of a chunk. The one that counts the tokens has no choice, and others may not have a delta."""
    for choice in (chunk.choices or [])[:1]:
        if choice.delta is not None:
            yield from _delta_events(choice.delta)
        if choice.finish_reason:
            yield Finish(choice.finish_reason, is_cut=choice.finish_reason in _CUT)


def _delta_events(delta: ChoiceDelta) -> Iterator[Event]:
    thinking = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    if isinstance(thinking, str):
        yield ReasoningDelta(thinking)
    for text in (_text(delta.content), _text(delta.refusal)):
        if text:
            yield ContentDelta(text)
    for call in delta.tool_calls or []:
        name, arguments = (call.function.name, call.function.arguments) if call.function else (None, None)
        yield ToolCallDelta(int(call.index or 0), _text(call.id), _text(name), _text(arguments))


def _text(value: object) -> str:
    """A text of a chunk, empty where there is none. The SDK hands on what an endpoint sends, whatever its type."""
    if value is not None and not isinstance(value, str):
        raise TypeError("not a text")
    return value or ""


def _error_of(error: openai.APIError) -> ProviderError:
    """The error without the provider's own words, which may quote the conversation."""
    if isinstance(error, openai.APITimeoutError):
        return ProviderError("the provider did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        return ProviderError("the connection to the provider failed or broke off")
    code = next((code for code in (error.code, error.type) if isinstance(code, str) and _CODE.fullmatch(code)), None)
    named = f" ({code})" if code else ""
    if isinstance(error, openai.APIStatusError):
        return ProviderError(f"the provider answered {error.status_code}{named}", error.status_code)
    return ProviderError(f"the provider broke off its reply with an error{named}")
