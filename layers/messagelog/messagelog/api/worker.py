"""The worker's side of a send: an asynchronous invocation, which Lambda repeats after an error and may deliver twice.

A turn is never run twice: the lease lets only one worker write at a time, each queued message is drained once, and a
finished turn is not run again. A turn is never lost: it stays open until it is done, or until another turn begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, wraps
from importlib import import_module
from typing import Any, TypeAlias
from uuid import uuid4

from aws_lambda_powertools.utilities import parameters

from messagelog.api.chat import open_chat
from messagelog.api.metrics import report
from messagelog.api.operation import log_outcome
from messagelog.api.request import hashes_of
from messagelog.chat.errors import LeaseLostError, NoModelError, ProviderError, SendRunningError, TurnDoneError
from messagelog.chat.providers import Provider
from messagelog.chat.sending.service import ChatConfig, ChatService
from messagelog.dynamodb import Counters
from messagelog.errors import MessageLogError
from messagelog.settings import ModelSettings, chat_settings, model_settings

Handler: TypeAlias = Callable[[Mapping[str, Any], Any], None]

_ELSEWHERE = (SendRunningError, TurnDoneError, LeaseLostError)  # another delivery or send has the turn


class SetUpError(Exception):
    """CHAT_SETUP cannot be used. The text quotes the environment, but never a conversation."""


class DeliveryFailedError(Exception):
    """An event whose turn was not done. Lambda logs the text, and delivers the event again."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A turn that a send has started.

    Attributes:
        conversation: The partition key of the conversation.
        holder: The name under which the send took the chat's lease.
        context: Lambda's context.
        counters: Count the requests to DynamoDB.
    """

    conversation: str
    holder: str
    context: Any
    counters: Counters

    @property
    def service(self) -> ChatService:
        """The conversation's chat service, with the configured model and the tools and hooks of CHAT_SETUP."""
        chat = open_chat(self.conversation, self.context, self.counters)
        try:
            here = chat_settings()
            service = ChatService(chat, _provider(), ChatConfig(**here.config))
            if here.setup:
                _set_up(service, here.setup)
            service.init()
        except Exception:
            with suppress(MessageLogError):  # nobody will use the lease, so the next send may begin at once
                chat.state.release(chat.state.acquire(uuid4().hex, seconds=1, turn=self.holder))
            raise
        return service


def _set_up(service: ChatService, setup: str) -> None:
    module, _, function = setup.partition(":")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise SetUpError(f"CHAT_SETUP is {setup!r}, and no function can be imported by this name: {error}") from error
    found(service)


def worker(run: Callable[[Invocation], object]) -> Handler:
    """Makes a handler of a function that does the turn of an Invocation.

    It succeeds if the turn is done already, or if another turn took its place: that turn goes on from the same queue
    and the same log. It fails while another delivery does the turn or another send is about to begin one, so that
    Lambda tries again later, when the other process may be dead. It also fails if it lost the lease: the next try then
    checks which process has it.

    Args:
        run: Does the turn.

    Returns:
        The function's `handler(event, context)`.
    """
    name = run.__module__.rpartition(".")[2]

    @wraps(run)
    def handler(event: Mapping[str, Any], context: Any) -> None:
        invocation = Invocation(event["conversation"], event["holder"], context, Counters())
        failure: Exception | None = None
        try:
            run(invocation)
        except Exception as error:
            failure = error
        status = 409 if isinstance(failure, _ELSEWHERE) else 500 if failure else 200
        log_outcome(name, hashes_of(invocation.conversation), context, status, failure)
        report(name, invocation.counters, failure)
        if failure and not isinstance(failure, TurnDoneError):
            raise DeliveryFailedError(_reason(failure)) from None

    return handler


def _reason(error: Exception) -> str:
    """The text that may be logged. The texts of other errors may quote messages."""
    name = type(error).__name__
    return f"{name}: {error}" if isinstance(error, NoModelError | ProviderError | SetUpError) else name


def _provider() -> Provider:
    here = model_settings()
    secret = here.api_key_secret if here.provider == "openai" and not here.api_key else None
    return _provider_of(here, str(parameters.get_secret(secret, max_age=300)) if secret else here.api_key)


@lru_cache(maxsize=1)
def _provider_of(here: ModelSettings, api_key: str | None) -> Provider:
    """The provider of these settings. It is kept because it holds the connections."""
    if here.provider == "bedrock":
        from messagelog.chat.providers.bedrock import BedrockProvider

        return BedrockProvider(here.model)
    from messagelog.chat.providers.openai import NO_KEY, OpenAIProvider

    # A key in OPENAI_API_KEY is not meant for an arbitrary CHAT_BASE_URL.
    return OpenAIProvider(here.model, base_url=here.base_url, api_key=api_key or NO_KEY)
