"""A send over HTTP: a worker function runs the turn, and the caller may wait some seconds for its answer.

An HTTP API must answer within 30 seconds, and a turn takes as long as the model and the tools need. So a send
takes the chat's lease at once, which keeps other sends out and shows the turn as running. It queues the user's message
and hands the lease to the worker by an asynchronous invocation.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import lru_cache
from typing import Any
from uuid import uuid4

import boto3
from botocore.config import Config

from messagelog.api.reply import Reply, chat_page
from messagelog.api.request import Request
from messagelog.chat import drafts
from messagelog.chat.chat import Chat
from messagelog.chat.errors import TurnFailedError
from messagelog.chat.states.state import check_log_reaches
from messagelog.dynamodb.faults import FAILURES, fault_of
from messagelog.errors import MessageLogError, UnknownOutcomeError
from messagelog.settings import chat_worker, model_settings
from messagelog.strictjson import dumps

MAX_WAIT = 25
_GO_ON = "send again without content, since the content of this send, if it had any, is in the queue"
_NOT_STARTED = f"the turn was not started: {_GO_ON}"
_MAY_BE_STARTED = f"the turn may not have been started: {_GO_ON}"
_START_SECONDS = 60  # the worker has to start within this time; after it, another send may begin
_SPARE_SECONDS = 2.0
_LONGEST_PAUSE = 1.0


def start_turn(request: Request, chat: Chat) -> int:
    """Has the worker send the queue and the request's content.

    The turn begins with its worker. Until then, a turn that broke off before stays open, so that Lambda's next try of
    that turn can go on if this worker never starts.

    Returns:
        The count of the log before the turn, read when no other turn adds any more.

    Raises:
        NoModelError: No model is configured. Nothing is written.
        CodecError: The content cannot be stored. Nothing is written.
        SendRunningError: Another send is running. Nothing is written.
        TurnFailedError: The content is queued, but the worker was not started.
        UnknownOutcomeError: The content may be queued, or the worker may be started.
    """
    model_settings()
    worker, content, holder = chat_worker(), request.body.optional_content(), uuid4().hex
    message = None if content is None else drafts.admit(drafts.user(content))
    lease = chat.state.acquire(holder, seconds=_START_SECONDS)
    try:
        after = chat.log.count()
        check_log_reaches(lease.start, after)
        if message is not None:
            chat.state.enqueue(message)
        _invoke(worker, {"conversation": request.partition_key, "holder": holder})
    except BaseException:
        with suppress(MessageLogError):  # then it runs out by itself
            chat.state.release(lease)
        raise
    return after


def answer(request: Request, chat: Chat, *, after: int, seconds: int) -> Reply | None:
    """Waits for the end of the turn.

    Returns:
        The messages after `after`; None if the turn failed, or is not done within so many seconds. Also None if the
        table cannot be read: the turn was started, and after an error the caller would send the content again.
    """
    with suppress(MessageLogError):
        return _answer(request, chat, after, seconds)
    return None


def _answer(request: Request, chat: Chat, after: int, seconds: int) -> Reply | None:
    end = time.monotonic() + min(seconds, _seconds_left(request.context))
    pause = 0.1
    while time.monotonic() + pause <= end:
        time.sleep(pause)
        progress = chat.state.progress()
        if progress.failed:
            return None
        if not progress.running:
            return chat_page(chat.messages(after=after), after=after, limit=None, running=False, failed=False)
        pause = min(1.5 * pause, _LONGEST_PAUSE)
    return None


def _seconds_left(context: Any) -> float:
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    return MAX_WAIT if remaining is None else remaining() / 1000 - _SPARE_SECONDS


def _invoke(function: str, event: dict[str, str]) -> None:
    """Starts the worker. A refusal proves that it was not started, unless the client sent a request before it."""
    try:
        _lambda_client().invoke(FunctionName=function, InvocationType="Event", Payload=dumps(event).encode())
    except FAILURES as error:
        fault = fault_of(error, resends=True)
        failure = UnknownOutcomeError(_MAY_BE_STARTED) if fault.leaves_open else TurnFailedError(_NOT_STARTED)
        failure.code = fault.code
        raise failure from error


@lru_cache(maxsize=1)
def _lambda_client() -> Any:
    patience = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 2})
    return boto3.client("lambda", config=patience)
