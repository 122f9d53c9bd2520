"""Answers from a model on Amazon Bedrock, by the Converse API.

Rules from the API reference (docs.aws.amazon.com/bedrock/latest/APIReference: `ConverseStream`, `ToolConfiguration`)
and from what the API answers when they are broken: a history with tool blocks needs a `toolConfig` that is not empty,
also where no tool is offered any more.

Claude's thinking blocks come with a signature and would have to be given back with it in the rounds of a tool loop,
which a log of texts cannot do. So it is asked not to think ("Extended thinking" in the Bedrock user guide). Newer
models refuse that; they think adaptively and take a history without the blocks ("Adaptive thinking" there).

A `stopReason` other than `end_turn`, `stop_sequence` and `tool_use` says that the model was stopped or that its output
is malformed (`MessageStopEvent` in the API reference).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import boto3
from botocore.config import Config
from botocore.eventstream import EventStreamError, ParserError
from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, ConnectTimeoutError, HTTPClientError
from urllib3.exceptions import HTTPError, ReadTimeoutError

from messagelog.chat.errors import ProviderError
from messagelog.chat.providers import ContentDelta, Event, Finish, ReasoningDelta, ToolCallDelta, ToolSpec
from messagelog.messages import StoredMessage
from messagelog.views.bedrock import to_bedrock

_WHOLE = ("end_turn", "stop_sequence", "tool_use")
_NO_THINKING = {"thinking": {"type": "disabled"}}
_FAILURES = (ClientError, BotoCoreError, HTTPError, ParserError)
_READ_SECONDS = 120


class BedrockProvider:
    """A model on Bedrock: `model` is what Converse calls `modelId`, a model's or an inference profile's.

    `options` are further fields of the request, such as `inferenceConfig` or `additionalModelRequestFields`. A `client`
    is one for `bedrock-runtime`; without it, one is made as boto3 finds its settings.
    """

    def __init__(self, model: str, *, client: Any = None, options: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._options = dict(options or {})
        self._client = client or boto3.client("bedrock-runtime", config=Config(read_timeout=_READ_SECONDS))
        self._asks_not_to_think = "anthropic" in model and "additionalModelRequestFields" not in self._options

    def view(self, messages: Sequence[StoredMessage]) -> list[dict[str, Any]]:
        """See `Provider.view`."""
        return to_bedrock(messages)

    def stream(
        self, system: str | None, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]
    ) -> Iterator[Event]:
        """See `Provider.stream`. The system prompt is the request's `system`."""
        request: dict[str, Any] = {**self._options, "modelId": self._model, "messages": messages}
        if system is not None:
            request["system"] = [{"text": system}]
        if specs := [*map(_tool_spec, tools), *_former_tools(messages, tools)]:
            request["toolConfig"] = {"tools": [{"toolSpec": spec} for spec in specs]}
        try:
            stream = self._ask(request)
            try:
                for part in stream:
                    yield from _events(part)
            finally:
                stream.close()
        except _FAILURES as error:
            raise _error_of(error) from None

    def _ask(self, request: dict[str, Any]) -> Any:
        if not self._asks_not_to_think:
            return self._client.converse_stream(**request)["stream"]
        try:
            return self._client.converse_stream(**request, additionalModelRequestFields=_NO_THINKING)["stream"]
        except ClientError as error:
            if error.response["Error"]["Code"] != "ValidationException" or "thinking" not in str(error):
                raise
            self._asks_not_to_think = False
            return self._ask(request)


def _tool_spec(tool: ToolSpec) -> dict[str, Any]:
    spec = {"name": tool.name, "inputSchema": {"json": tool.parameters}}
    return {**spec, "description": tool.description} if tool.description else spec  # an empty one is refused


def _former_tools(messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec]) -> Iterator[dict[str, Any]]:
    """If no tool is offered, the tools that the history calls, so that it is taken."""
    blocks = [] if tools else [block for message in messages for block in message["content"]]
    for name in dict.fromkeys(block["toolUse"]["name"] for block in blocks if "toolUse" in block):
        yield {
            "name": name,
            "description": "This tool is not available any more: do not call it.",
            "inputSchema": {"json": {"type": "object"}},
        }


def _events(part: Mapping[str, Any]) -> Iterator[Event]:
    match part:
        case {"contentBlockStart": {"start": {"toolUse": use}, "contentBlockIndex": index}}:
            yield ToolCallDelta(index, use["toolUseId"], use["name"], "")
        case {"contentBlockDelta": {"delta": {"toolUse": use}, "contentBlockIndex": index}}:
            yield ToolCallDelta(index, "", "", use["input"])
        case {"contentBlockDelta": {"delta": {"text": text}}}:
            yield ContentDelta(text)
        case {"contentBlockDelta": {"delta": {"reasoningContent": {"text": text}}}}:
            yield ReasoningDelta(text)
        case {"messageStop": {"stopReason": reason}}:
            yield Finish(reason, is_cut=reason not in _WHOLE)


def _error_of(error: Exception) -> ProviderError:
    """The error without the provider's own words, which may quote the conversation."""
    if isinstance(error, EventStreamError):
        return ProviderError(f"the provider broke off its reply with an error ({error.response['Error']['Code']})")
    if isinstance(error, ClientError):
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        return ProviderError(f"the provider answered {status} ({error.response['Error']['Code']})", status)
    if isinstance(error, (ReadTimeoutError, ConnectTimeoutError)):
        return ProviderError("the provider did not answer in time")
    if isinstance(error, BotoCoreError) and not isinstance(error, (HTTPClientError, ConnectionError)):
        return ProviderError(f"the request to the provider could not be made ({type(error).__name__})")
    return ProviderError("the connection to the provider failed or broke off")
