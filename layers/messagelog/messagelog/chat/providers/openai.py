"""Asks a model of OpenAI, or of any endpoint with a Chat Completions API.

Rules from the API reference, `POST /v1/chat/completions` (platform.openai.com/docs/api-reference/chat): the list of
tools must not be empty, and `tool_choice` and `parallel_tool_calls` are allowed only with tools. `chunks.py` reads the
stream, and `finish_reasons.py` says which replies are whole.

Reasoning cannot be given back, and is not asked for. If a model reasons without being asked, turn that off with
`options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

try:
    import openai
except ImportError as error:
    how = "pip install 'openai>=3.57,<4'"
    raise ImportError(f"OpenAIProvider needs the extra messagelog[openai]: {how}") from error

from messagelog.chat.errors import NoModelError, ProviderError
from messagelog.chat.providers import Event, ToolSpec
from messagelog.chat.providers.chunks import error_code, events
from messagelog.chat.providers.options import checked_options
from messagelog.messages import StoredMessage
from messagelog.views.openai import to_openai

NO_KEY = "none"  # the SDK requires a key
_OURS = ("model", "messages", "stream")
_NEEDS_TOOLS = ("tool_choice", "parallel_tool_calls")
_HOST = ": check that the model's server runs at the base URL"
_ADVICE = {401: ": check the API key", 404: ": check the model's name and the base URL, which often ends with /v1"}


class OpenAIProvider:
    """A model that is asked through the Chat Completions API.

    Args:
        model: The name of the model.
        base_url: The URL of a compatible endpoint; None for OpenAI's own. White space around it is ignored.
        api_key: The key; None for that of OPENAI_API_KEY. An endpoint at `base_url` may need none. White space around
            it is ignored.
        timeout: The number of seconds that may pass without a byte.
        max_retries: How often a request that failed before the reply began is sent again, at most.
        options: Further fields of the request, such as `temperature`. `tools` are added to the chat's tools.
        client: A client to use as it is.

    Raises:
        NoModelError: The key or the URL cannot be used. The error does not show them.
        ValueError: `options` hold a field that the provider sets itself.
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
        self._options = checked_options(options, _OURS)
        self._client = client or _client(_url(base_url), _key(api_key), timeout=timeout, max_retries=max_retries)

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        """See `Provider.view`."""
        return to_openai(messages)

    def stream(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> Iterator[Event]:
        """See `Provider.stream`. The system prompt is the first message."""
        request = self._request(system, messages, tools)
        try:
            with self._client.chat.completions.create(**request) as chunks:
                yield from events(chunks)
        except ProviderError:
            raise
        except openai.APIError as error:
            raise _error_of(error) from None
        except Exception as error:  # the SDK checks neither the request nor the reply
            name = type(error).__name__
            raise ProviderError(f"the request or its reply cannot be used ({name})", code=name) from None

    def _request(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> dict[str, Any]:
        prompt = [] if system is None else [{"role": "system", "content": system}]
        extra = dict(self._options)
        offered = [*map(_function, tools), *(extra.pop("tools", None) or [])]
        if not offered:
            for name in _NEEDS_TOOLS:
                extra.pop(name, None)
        request = {"model": self._model, "messages": [*prompt, *messages], "stream": True, "extra_body": extra}
        return {**request, "tools": offered} if offered else request


def _client(base_url: str | None, api_key: str | None, **how: Any) -> openai.OpenAI:
    try:
        client = openai.OpenAI(base_url=base_url, api_key=api_key, **how)
    except openai.OpenAIError:  # no key was given, and OPENAI_API_KEY has none
        if base_url is None:
            raise
        return openai.OpenAI(base_url=base_url, api_key=NO_KEY, **how)
    client.api_key = _key(client.api_key) or NO_KEY  # OPENAI_API_KEY may end with a line break
    return client


def _key(api_key: str | None) -> str | None:
    """The key without white space around it, None if nothing is left.

    It is sent in an HTTP header, whose value is printable ASCII (RFC 9110, section 5.5).
    """
    key = (api_key or "").strip()
    if any(not " " <= character <= "~" for character in key):
        raise _unusable("the API key holds a control character or a character that is not ASCII", "BadApiKey")
    return key or None


def _url(base_url: str | None) -> str | None:
    url = (base_url or "").strip()
    if url and not _is_http(url):
        raise _unusable("the base URL is not a URL that begins with http:// or https:// and names a host", "BadBaseUrl")
    return url or None


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable() and " " not in url


def _unusable(reason: str, code: str) -> NoModelError:
    error = NoModelError(f"{reason}; nothing was written: correct the setting")
    error.code = code
    return error


def _function(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _error_of(error: openai.APIError) -> ProviderError:
    """Returns the error without the provider's own text, which may quote the conversation."""
    if isinstance(error, openai.APITimeoutError):
        return ProviderError("the provider did not answer in time", code=type(error).__name__)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__ or error).__name__
        return ProviderError(f"the connection to the provider failed or broke off ({cause}){_HOST}", code=cause)
    code = error_code({"code": error.code, "type": error.type})
    named = f" ({code})" if code else ""
    if isinstance(error, openai.APIStatusError):
        reason = f"the provider answered {error.status_code}{named}{_ADVICE.get(error.status_code, '')}"
        return ProviderError(reason, error.status_code, code or type(error).__name__)
    return ProviderError(f"the provider broke off its reply with an error{named}", code=code or type(error).__name__)
