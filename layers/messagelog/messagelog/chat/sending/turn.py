"""The turn of one send: from the queue and the user's words to the model's last one, recorded step by step.

Each step is one append to the log, so wherever a turn ends, by an error or with its process, the log holds all that was
done, and the next send goes on from there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from messagelog.chat import drafts
from messagelog.chat.chat import Chat
from messagelog.chat.errors import LeaseLostError, ProviderError, TurnFailedError
from messagelog.chat.hooks.events import words_of
from messagelog.chat.providers import Event, Provider
from messagelog.chat.sending.answer import Answer
from messagelog.chat.sending.calls import is_due, open_calls, with_own_ids
from messagelog.chat.sending.lease import HeldLease
from messagelog.chat.sending.tools import ToolSuite
from messagelog.errors import CodecError, MessageLogError, MessageTooLargeError, OnAppendError, WrittenError
from messagelog.messages import AgentMessage, StoredMessage, ToolCall
from messagelog.storage import ConditionFailedError

ROUNDS_USED_UP = "Not run: the model has called tools in more rounds than are allowed."
CUT_OFF = "Not run: the reply was cut off, and this call may lack a part of its arguments."

_COME_TO_NO_END = "the turn came to no end, and what was said is in the chat: go on with a send without content"
_CUT_AT_ONCE = "the reply was cut off before its first word ({}): allow more tokens, shorten the chat, or say it anew"
_MAX_RESENDS = 10  # so that a hook that always asks again comes to an end
_DRAINED_AT_ONCE = 40  # leaves an append below the 50 that may commit with it


class Turn:
    """One send. `run` or `resume` it once, while the lease is held; `interrupt` and `resend` come from any thread.

    `recorded` are the messages that it has added to the log.
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
        """Adds what is in the queue by now, then `message`, and has the model answer.

        Raises LeaseLostError when another send took over, ProviderError, and what the log raises: as TurnFailedError
        once `message` is recorded. A hook that raises stops nothing: see `raise_for_hooks`.
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
        except MessageLogError as error:  # which may say that nothing was written, so that one would say it again
            raise TurnFailedError(_COME_TO_NO_END) from error

    def resume(self) -> None:
        """Adds what is in the queue by now, and has the model answer if something waits for it.

        Raises LeaseLostError when another send took over, ProviderError, and what the log raises.
        """
        self._drain()
        if is_due(self._read()):
            self._go_on()

    def _go_on(self) -> None:
        self._converse()
        for _ in range(_MAX_RESENDS):
            if not self._is_to_resend():
                return
            self._drain()
            self._converse()

    def raise_for_hooks(self) -> None:
        """Raises OnAppendError, from the first error of a hook, if one raised."""
        if self._hook_error is not None:
            raise OnAppendError(tuple(message.seq for message in self.recorded)) from self._hook_error

    def interrupt(self, resend: bool) -> None:
        """Ends the request that is running, at its next event; no tool is run and nothing is asked any more.

        With `resend`, the model is asked again; without, not even if that was said before.
        """
        with self._lock:
            self._interrupted, self._resend = True, resend

    def resend(self) -> None:
        """Once the model has stopped, takes in what is in the queue then, and asks again."""
        with self._lock:
            self._resend = True

    def _is_to_resend(self) -> bool:
        """Whether the model is to be asked again. What was said of it and of interrupting is done with then."""
        with self._lock:
            resend, self._resend, self._interrupted = self._resend, False, False
        return resend

    def _drain(self) -> None:
        """Moves the queue to the log; what comes in meanwhile stays there."""
        state = self._chat.state
        last = state.last_staged()
        while last is not None and (staged := state.staged(limit=_DRAINED_AT_ONCE, up_to=last)):
            self._record([each.message for each in staged], self._lease.unstaging(staged))
            state.discard(staged)

    def _converse(self) -> None:
        """Asks and runs tools until the model stops, the rounds are used up, or somebody interrupts."""
        for _ in range(self._max_rounds + 1):
            self._answer_open_calls(self._result_of)
            if self._interrupted or not self._ask():
                return
        self._answer_open_calls(lambda _: ROUNDS_USED_UP)

    def _ask(self) -> bool:
        """Records the model's reply; whether it calls tools. A reply that is interrupted is dropped."""
        self._lease.renew()
        system, messages = self._chat.get_system(), self._read()
        prompt = None if system is None else system.content
        stream = self._provider.stream(prompt, self._provider.view(messages), self._tools.tools())
        answer = self._heard(stream)
        if self._interrupted:
            return False
        if answer.finish is None:
            raise ProviderError("the provider's reply broke off before its end")
        *thought, said = with_own_ids(answer.messages(), messages)
        if answer.finish.is_cut and answer.says_nothing:
            raise ProviderError(_CUT_AT_ONCE.format(answer.finish.reason))
        not_run = [_result(call, CUT_OFF) for call in said.tool_calls] if answer.finish.is_cut else []
        self._record([drafts.admit(message) for message in (*thought, said, *not_run)])
        return bool(said.tool_calls)

    def _heard(self, stream: Iterator[Event]) -> Answer:
        """What the stream tells until it ends or somebody interrupts; hooks hear it as well."""
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
        for call in open_calls(self._read()):
            if self._interrupted:
                return
            self._lease.renew()
            said = result_of(call)
            if said is None:
                return
            self._record([_admitted(_result(call, said))])

    def _result_of(self, call: ToolCall) -> str | None:
        """What the tool says, or what it raised: the model is to know. None if a hook interrupts before it runs."""
        emit = self._chat.hooks.emit_tool
        self._tell(emit, "before", call)
        if self._interrupted:
            return None
        try:
            result = self._tools.run(call)
        except (Exception, SystemExit) as error:  # what argparse raises at args that it cannot use
            self._tell(emit, "error", call, error)
            return f"Error: {type(error).__name__}: {words_of(error)}"
        self._tell(emit, "after", call, result)
        return result

    def _tell(self, emit: Callable[..., None], *what: Any) -> None:
        """Calls hooks. What they raise waits for the end of the turn."""
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
        """The chat's messages, with those that others have added meanwhile."""
        self._window += self._chat.iter_messages(after=self._window[-1].seq if self._window else 0)
        return self._window


def _result(call: ToolCall, content: str) -> AgentMessage:
    return AgentMessage("tool", content, name=call.name, tool_call_id=call.id)


def _admitted(result: AgentMessage) -> AgentMessage:
    """The result of a tool as the log takes it; if the log would refuse it, the model is told so."""
    try:
        return drafts.admit(result)
    except (CodecError, MessageTooLargeError) as error:
        return drafts.admit(replace(result, content=f"Error: this result cannot be stored: {error}"))
