"""Asks a model on Amazon Bedrock, through the Converse API.

Rules from the API reference (docs.aws.amazon.com/bedrock/latest/APIReference: `ConverseStream`, `ToolConfiguration`)
and from the API's answers to requests that break them: a history with tool blocks needs a `toolConfig` with a tool in
it, even if no tool is offered any more. `finish_reasons.py` says which replies are whole.

Claude's thinking blocks carry a signature, and would have to be given back with it in the rounds of a tool loop. A log
of texts cannot do that, so Claude is asked not to think ("Extended thinking" in the Bedrock user guide). Newer models
refuse that; they think adaptively and accept a history without the blocks ("Adaptive thinking" there).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

try:
    import boto3
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("BedrockProvider needs boto3: install the extra messagelog[aws]") from error

from botocore.config import Config
from botocore.eventstream import EventStreamError, ParserError
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    ConnectTimeoutError,
    HTTPClientError,
    NoRegionError,
)
from urllib3.exceptions import HTTPError, ReadTimeoutError

from messagelog.chat.errors import NoModelError, ProviderError
from messagelog.chat.providers import ContentDelta, Event, ReasoningDelta, ToolCallDelta, ToolSpec
from messagelog.chat.providers.finish_reasons import finish, is_code
from messagelog.chat.providers.options import checked_options
from messagelog.messages import StoredMessage
from messagelog.views.bedrock import to_bedrock

_T = TypeVar("_T")
_OURS = ("modelId", "messages")
_NO_THINKING = {"type": "disabled"}
_FAILURES = (ClientError, BotoCoreError, HTTPError, ParserError)
_READ_SECONDS = 120


class BedrockProvider:
    """A model on Bedrock.

    Args:
        model: The `modelId` of Converse: the id of a model or of an inference profile.
        client: A client for `bedrock-runtime`; None to make one with boto3's settings.
        options: Further fields of the request, such as `inferenceConfig` or `additionalModelRequestFields`. The blocks
            of `system` and the tools of `toolConfig` are added after the chat's own.

    Raises:
        NoModelError: No region is configured.
        ValueError: `options` hold a field that the provider sets itself.
    """

    def __init__(self, model: str, *, client: Any = None, options: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._options = checked_options(options, _OURS)
        self._client = client or _default_client()
        fields = self._options.get("additionalModelRequestFields") or {}
        self._asks_not_to_think = "anthropic" in model and "thinking" not in fields

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        """See `Provider.view`."""
        return to_bedrock(messages)

    def stream(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> Iterator[Event]:
        """See `Provider.stream`. The system prompt is the first block of the request's `system`."""
        hosted: set[int] = set()
        try:
            stream = self._ask(self._request(system, messages, tools))
            try:
                for part in stream:
                    yield from _events(part, hosted)
            finally:
                stream.close()
        except ProviderError:
            raise
        except _FAILURES as error:
            raise _error_of(error) from None
        except Exception as error:  # botocore checks only little of a reply
            name = type(error).__name__
            raise ProviderError(f"the request or its reply cannot be used ({name})", code=name) from None

    def _request(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> dict[str, Any]:
        request: dict[str, Any] = {**self._options, "modelId": self._model, "messages": messages}
        prompt = [] if system is None else [{"text": system}]
        if blocks := [*prompt, *(self._options.get("system") or [])]:
            request["system"] = blocks
        request.pop("toolConfig", None)
        if config := _tool_config(messages, tools, self._options.get("toolConfig") or {}):
            request["toolConfig"] = config
        return request

    def _ask(self, request: dict[str, Any]) -> Any:
        if not self._asks_not_to_think:
            return self._client.converse_stream(**request)["stream"]
        fields = {**(request.get("additionalModelRequestFields") or {}), "thinking": _NO_THINKING}
        try:
            return self._client.converse_stream(**{**request, "additionalModelRequestFields": fields})["stream"]
        except ClientError as error:
            if _code(error) != "ValidationException" or "thinking" not in str(error):
                raise
            self._asks_not_to_think = False
            return self._ask(request)


def _default_client() -> Any:
    try:
        return boto3.client("bedrock-runtime", config=Config(read_timeout=_READ_SECONDS))
    except NoRegionError as failure:
        error = NoModelError("no AWS region is configured; nothing was written: set AWS_DEFAULT_REGION")
        error.code = "NoRegionError"
        raise error from failure


def _tool_config(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the `toolConfig`, merged with that of the options. Empty if it has no tools, which Bedrock refuses."""
    further = [*(options.get("tools") or [])]
    specs = [{"toolSpec": _tool_spec(tool)} for tool in tools]
    if any("cachePoint" not in tool for tool in (*specs, *further)):
        return {**options, "tools": [*specs, *further]}
    former = [{"toolSpec": spec} for spec in _former_tools(messages)]
    return {"tools": [*former, *further]} if former else {}  # a toolChoice could require a tool that was removed


def _tool_spec(tool: ToolSpec) -> dict[str, Any]:
    spec = {"name": tool.name, "inputSchema": {"json": tool.parameters}}
    return {**spec, "description": tool.description} if tool.description else spec  # an empty one is refused


def _former_tools(messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Returns the tools that the history calls. Bedrock needs them to accept the history if no tool is offered."""
    blocks = [block for message in messages for block in message["content"]]
    for name in dict.fromkeys(block["toolUse"]["name"] for block in blocks if "toolUse" in block):
        yield {
            "name": name,
            "description": "This tool is not available any more: do not call it.",
            "inputSchema": {"json": {"type": "object"}},
        }


def _events(part: Mapping[str, Any], hosted: set[int]) -> Iterator[Event]:
    """Yields the events of a part of the stream.

    Args:
        part: The part.
        hosted: The indexes of the calls of tools that Bedrock runs itself (`type` in `ToolUseBlockStart`). They are not
            for the caller to run, so they are not events.
    """
    match part:
        case {"contentBlockStart": {"start": {"toolUse": {"type": "server_tool_use"}}, "contentBlockIndex": index}}:
            hosted.add(_an(int, index))
        case {"contentBlockDelta": {"delta": {"toolUse": _}, "contentBlockIndex": index}} if index in hosted:
            pass
        case {"contentBlockStart": {"start": {"toolUse": use}, "contentBlockIndex": index}}:
            yield ToolCallDelta(_an(int, index), _an(str, use["toolUseId"]), _an(str, use["name"]), "")
        case {"contentBlockDelta": {"delta": {"toolUse": use}, "contentBlockIndex": index}}:
            yield ToolCallDelta(_an(int, index), "", "", _an(str, use["input"]))
        case {"contentBlockDelta": {"delta": {"text": text}}}:
            yield ContentDelta(_an(str, text))
        case {"contentBlockDelta": {"delta": {"reasoningContent": {"text": text}}}}:
            yield ReasoningDelta(_an(str, text))
        case {"messageStop": {"stopReason": reason}}:
            yield finish(_an(str, reason))


def _an(kind: type[_T], value: object) -> _T:
    """The value of a field. botocore does not check its type."""
    if type(value) is not kind:
        raise TypeError
    return value


def _error_of(error: Exception) -> ProviderError:
    """Returns the error without the provider's own text, which may quote the conversation."""
    if isinstance(error, EventStreamError):
        return ProviderError(f"the provider broke off its reply with an error ({_code(error)})", code=_code(error))
    if isinstance(error, ClientError):
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        return ProviderError(f"the provider answered {status} ({_code(error)})", status, _code(error))
    name = type(error).__name__
    if isinstance(error, (ReadTimeoutError, ConnectTimeoutError)):
        return ProviderError("the provider did not answer in time", code=name)
    if isinstance(error, BotoCoreError) and not isinstance(error, (HTTPClientError, ConnectionError)):
        return ProviderError(f"the request to the provider could not be made ({name})", code=name)
    return ProviderError(f"the connection to the provider failed or broke off ({name})", code=name)


def _code(error: ClientError) -> str:
    code = error.response.get("Error", {}).get("Code", "")
    return code if is_code(code) else type(error).__name__
