"""The turn of one send: it moves the queue to the log, asks the model, runs tools, and records each step.

Each step is one append to the log. If a turn ends with an error, or its process ends, the log holds all steps that were
done. The next send goes on from there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from messagelog.admission import admit
from messagelog.chat import drafts
from messagelog.chat.chat import Chat
from messagelog.chat.errors import LeaseLostError, ProviderError, TurnFailedError
from messagelog.chat.hooks.events import words_of
from messagelog.chat.providers import Event, Provider
from messagelog.chat.sending.answer import Answer
from messagelog.chat.sending.calls import is_due, open_calls, waiting_calls, with_ids
from messagelog.chat.sending.lease import HeldLease
from messagelog.chat.sending.request import ending_with_user
from messagelog.chat.sending.tools import ToolSuite
from messagelog.chat.states.state import check_log_reaches
from messagelog.errors import CodecError, MessageLogError, MessageTooLargeError, OnAppendError, WrittenError
from messagelog.messages import AgentMessage, StoredMessage, ToolCall
from messagelog.storage import ConditionFailedError
from messagelog.views.exchanges import UNANSWERED

ROUNDS_USED_UP = "Not run: the model has called tools in more rounds than are allowed."
CUT_OFF = "Not run: the reply was cut off, and this call may lack a part of its arguments."

_UNFINISHED = "the turn did not finish, and the content is in the chat: go on with a send without content"
_CUT_AT_ONCE = "the reply was cut off before its first word ({}): allow more tokens, or shorten the chat"
_MAX_RESENDS = 10  # so that a hook that always asks again cannot loop forever
_DRAINED_AT_ONCE = 40  # below the 50 conditions that an append takes


class Turn:
    """One send, while its lease is held.

    Call `run` or `resume` once. `interrupt` and `resend` may come from any thread.

    Attributes:
        recorded: The messages that this turn has added to the log.
    """

    def __init__(self, chat: Chat, provider: Provider, tools: ToolSuite, lease: HeldLease, *, max_rounds: int) -> None:
        self.recorded: list[StoredMessage] = []
        self._chat = chat
        self._provider = provider
        self._tools = tools
        self._lease = lease
        self._max_rounds = max_rounds
        self._window: list[StoredMessage] = []
        self._lock = threading.Lock()
        self._interrupted = False
        self._resend = False
        self._hook_error: BaseException | None = None

    def run(self, message: AgentMessage | None) -> None:
        """Adds the messages of the queue, then `message`, and asks the model.

        An error of a hook does not stop the turn: see `raise_for_hooks`.

        Raises:
            LeaseLostError: Another send took over.
            ProviderError: The model failed.
            TurnFailedError: The log or the state failed after `message` was recorded.
            MessageLogError: The log or the state failed before, or `message` is None.
        """
        self._drain()
        if message is None:
            self._go_on()
            return
        self._record([message])
        try:
            self._go_on()
        except WrittenError:
            raise
        except MessageLogError as error:  # its text may invite the caller to send it again
            raise TurnFailedError(_UNFINISHED) from error

    def resume(self) -> None:
        """Adds the messages of the queue, and asks the model if something waits for an answer.

        Raises:
            LeaseLostError: Another send took over.
            ProviderError: The model failed.
            MessageLogError: The log or the state failed.
        """
        self._drain()
        if is_due(self._read()):
            self._go_on()

    def raise_for_hooks(self) -> None:
        """Raises OnAppendError from the first error of a hook, if one raised."""
        if self._hook_error is not None:
            raise OnAppendError(tuple(message.seq for message in self.recorded)) from self._hook_error

    def interrupt(self, resend: bool) -> None:
        """Ends the running request at its next event. After that, no tool is run and no other request is made.

        With `resend`, the model is asked again. Without it, the model is not asked again, even after `queue_resend`.
        """
        with self._lock:
            self._interrupted, self._resend = True, resend

    def resend(self) -> None:
        """Makes the turn ask again after the model has stopped, with the messages that are in the queue then."""
        with self._lock:
            self._resend = True

    def _go_on(self) -> None:
        self._converse()
        for _ in range(_MAX_RESENDS):
            if not self._takes_resend():
                return
            self._drain()
            self._converse()

    def _takes_resend(self) -> bool:
        """Returns whether to ask the model again, and resets the flags of `resend` and `interrupt`."""
        with self._lock:
            resend, self._resend, self._interrupted = self._resend, False, False
        return resend

    def _drain(self) -> None:
        """Moves the queue to the log. Messages that are queued during the move stay in the queue."""
        if self._lease.start:
            check_log_reaches(self._lease.start, self._chat.log.count())
        state = self._chat.state
        last = state.last_staged()
        while last is not None and (staged := state.staged(limit=_DRAINED_AT_ONCE, up_to=last)):
            self._record([each.message for each in staged], self._lease.unstaging(staged))
            state.discard(staged)

    def _converse(self) -> None:
        """Asks the model and runs tools until the model stops, the rounds are used up, or the turn is interrupted."""
        for _ in range(self._max_rounds + 1):
            self._answer_open_calls(self._result_of)
            if self._interrupted or not self._ask():
                return
        self._answer_open_calls(lambda _: ROUNDS_USED_UP)

    def _ask(self) -> bool:
        """Records the model's reply, and returns whether it calls tools. An interrupted reply is dropped."""
        self._lease.renew()
        system, messages = self._chat.get_system(), ending_with_user(self._read())
        prompt = None if system is None else system.content
        answer = self._heard(self._provider.stream(prompt, self._provider.view(messages), self._tools.tools()))
        if self._interrupted:
            return False
        if answer.finish is None:
            raise ProviderError("the provider's reply broke off before its end")
        if answer.finish.is_cut and answer.says_nothing:
            raise ProviderError(_CUT_AT_ONCE.format(answer.finish.reason))
        *thought, said = (with_ids(message) for message in answer.messages())
        not_run = [_result(call, CUT_OFF) for call in said.tool_calls] if answer.finish.is_cut else []
        older = waiting_calls(messages, {call.id for call in said.tool_calls})
        given_up = [_result(call, UNANSWERED) for call in older]  # first: a result belongs to the nearest waiting call
        self._record([*map(_admitted, given_up), *map(drafts.admit, (*thought, said)), *map(_admitted, not_run)])
        return bool(said.tool_calls)

    def _heard(self, stream: Iterator[Event]) -> Answer:
        """Returns the reply up to its end or an interrupt. Hooks are called with each event."""
        answer = Answer()
        with ExitStack() as stack:
            if close := getattr(stream, "close", None):
                stack.callback(close)
            for event in stream:
                if not self._interrupted:
                    answer.take(event)
                    self._tell(self._chat.hooks.emit_stream, event)
                if self._interrupted:
                    break
        return answer

    def _answer_open_calls(self, result_of: Callable[[ToolCall], str | None]) -> None:
        messages = self._read()
        calls = open_calls(messages)
        waiting = waiting_calls(messages, {call.id for call in calls})
        for call in calls:
            if self._interrupted:
                return
            self._lease.renew()
            said = result_of(call)
            if said is None:
                return
            self._record([_admitted(_result(call, said))])
        if older := waiting[: len(waiting) - len(calls)]:  # so that they get no later result with this id
            self._record([_admitted(_result(call, UNANSWERED)) for call in older])

    def _result_of(self, call: ToolCall) -> str | None:
        """Returns the tool's result, or the text of its error. None if a hook interrupts before the tool runs."""
        emit = self._chat.hooks.emit_tool
        self._tell(emit, "before", call)
        if self._interrupted:
            return None
        try:
            result = self._tools.run(call)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # argparse raises SystemExit, and asyncio raises CancelledError
            self._tell(emit, "error", call, error)
            return f"Error: {type(error).__name__}: {words_of(error)}"
        self._tell(emit, "after", call, result)
        return result

    def _tell(self, emit: Callable[..., None], *what: Any) -> None:
        """Calls the hooks. Their errors are raised at the end of the turn."""
        try:
            emit(*what)
        except Exception as error:
            self._hook_error = self._hook_error or error

    def _record(self, messages: Sequence[AgentMessage], conditions: Sequence[Any] | None = None) -> None:
        try:
            stored = self._chat.record(messages, self._lease.conditions() if conditions is None else conditions)
        except ConditionFailedError:
            raise LeaseLostError from None
        self.recorded += stored
        try:
            self._chat.tell(stored)
        except OnAppendError as error:
            self._hook_error = self._hook_error or error.__cause__

    def _read(self) -> list[StoredMessage]:
        """Returns the chat's messages, including messages that other processes have added."""
        self._window += self._chat.iter_messages(after=self._window[-1].seq if self._window else 0)
        return self._window


def _result(call: ToolCall, content: str) -> AgentMessage:
    return AgentMessage("tool", content, name=call.name, tool_call_id=call.id)


def _admitted(result: AgentMessage) -> AgentMessage:
    """Returns the result of a tool. If the log would refuse it, returns an error text for the model instead."""
    try:
        return admit(drafts.stamped(result))
    except (CodecError, MessageTooLargeError) as error:
        return admit(drafts.stamped(replace(result, content=f"Error: this result cannot be stored: {error}")))
