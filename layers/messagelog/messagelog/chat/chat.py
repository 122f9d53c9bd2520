"""A chat: a window on the log.

The log is append-only; the chat's state says where its window begins. Clearing and handing off move the window, and
the log keeps everything.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, Protocol

from messagelog.chat import drafts
from messagelog.chat.errors import SendRunningError
from messagelog.chat.hooks.builder import HookBuilder
from messagelog.chat.hooks.registry import Hooks
from messagelog.chat.prompts.container import PromptContainer
from messagelog.chat.prompts.store import PromptStore
from messagelog.chat.states.state import ChatState, System, Window, check_log_reaches
from messagelog.checks import check_has, check_number
from messagelog.log import MessageLog, notify
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.storage import Append, ConditionFailedError, Storage


class HandoffStrategy(Protocol):
    """Says what a chat goes on with in place of its messages: a summary, the last few, nothing."""

    def apply(self, messages: list[StoredMessage], /) -> Iterable[AgentMessage | Mapping[str, object]]:
        """The messages of the new window for those of the old one, which become historic."""
        ...


class Chat:
    """Prepares what an agent sees, records what it says, and reacts to both.

    `state` is kept beside the log, by the same kind of storage, for the same conversation. What is added is in the log
    at once; then the hooks are called, and OnAppendError is raised if one of them raised. Errors of adding are those of
    `MessageLog.append`, with CodecError for a system message or a tool's result without the id of its call.
    `clear`, `clear_messages` and `handoff` raise SendRunningError while a send is running.
    """

    def __init__(self, log: MessageLog | Storage, state: ChatState) -> None:
        check_has("state", state, ("window", "acquire", "staged"), "a ChatState such as DynamoDBChatState(…)")
        self.log = log if isinstance(log, MessageLog) else MessageLog(log)
        self.state = state
        self.hooks = Hooks()
        self.prompt_store = PromptStore(state)
        self._system_override: str | None = None

    def system(self) -> PromptContainer:
        """The root of the prompt tree, as it is stored now. What is changed in the tree is stored at once.

        The change raises PromptChangedError if another process has changed the tree since, MessageTooLargeError for a
        tree or a text that is larger than a message may be, ValueError in what was taken out of the tree.
        """
        return self.prompt_store.read()

    def editing_system(self) -> AbstractContextManager[PromptContainer]:
        """`with chat.editing_system() as root:` stores all changes of the block as one; none if it raises."""
        return self.prompt_store.editing()

    def get_system(self) -> AgentMessage | None:
        """The system message in force: the override if there is one, else the composed tree; None without content."""
        text = self._system_override or self.system().compose()
        return drafts.stamped(AgentMessage("system", text)) if text else None

    def override_system(self, text: str | None) -> None:
        """Makes a text the system message in place of the tree, which stays as it is; None or blank text ends that."""
        self._system_override = text if text and text.strip() else None

    def messages(self, *, after: int = 0, limit: int | None = None) -> list[StoredMessage]:
        """The chat's messages with a seq greater than `after`, at most `limit`. The system message is none of them."""
        return _at_most(limit, self.iter_messages(after=after))

    def iter_messages(self, *, after: int = 0) -> Iterator[StoredMessage]:
        """The same as `messages`, read as it is consumed."""
        check_number("after", after)
        return _spoken(self._after(after, self.state.window().start))

    def historic_messages(self, *, after: int = 0, limit: int | None = None) -> list[StoredMessage]:
        """The messages handed off since the last clear, like `messages`."""
        return _at_most(limit, self.iter_historic_messages(after=after))

    def iter_historic_messages(self, *, after: int = 0) -> Iterator[StoredMessage]:
        """The same as `historic_messages`, read as it is consumed."""
        check_number("after", after)
        window = self.state.window()
        after = max(after, window.cleared)
        return _spoken(self._up_to(window.start, after))

    def user(self, content: str) -> int:
        """Adds what the user says, and returns its seq."""
        return self._add([drafts.admit(drafts.user(content))])

    def assistant(self, content: str, tool_calls: Iterable[Any] | None = None) -> int:
        """Adds what the model says.

        Its calls are ToolCalls, or as OpenAI has them: `{"id", "type": "function", "function": {"name", "arguments"}}`.
        """
        return self._add([drafts.admit(drafts.assistant(content, tool_calls))])

    def tool(self, content: str, tool_call_id: str) -> int:
        """Adds the result of the tool call with this id."""
        return self._add([drafts.admit(drafts.tool(content, tool_call_id))])

    def reasoning(self, content: str) -> int:
        """Adds what the model thinks."""
        return self._add([drafts.admit(drafts.reasoning(content))])

    def add_all(self, messages: Iterable[AgentMessage | Mapping[str, object]]) -> int:
        """Adds all messages or none, given as values or in their JSON form, and returns the last seq."""
        return self._add(drafts.admit_all(messages))

    def record(
        self,
        messages: Sequence[AgentMessage],
        conditions: Sequence[Any] = (),
    ) -> Sequence[StoredMessage]:
        """Stores messages with one append, and calls nobody: pass them to `tell` afterwards.

        It is for the service: the messages are not held to the rules of the methods that add.

        Args:
            messages: Messages that were admitted.
            conditions: See `Append`.

        Raises:
            ConditionFailedError: One of the conditions does not hold.
            MessageLogError: See `Storage.append`.
        """
        return self.log.write(Append(tuple(messages), conditions=tuple(conditions))).stored

    def tell(self, stored: Sequence[StoredMessage]) -> None:
        """Calls the log's `on_append` and the message hooks with each of the messages. Raises OnAppendError."""
        notify((*self.log.listeners, self.hooks.emit_message), stored)

    def hook(self) -> HookBuilder:
        """Begins a hook: `chat.hook().message("user").regex("help").max_triggers(1).do(callback)`."""
        return HookBuilder(self.hooks)

    def silent(self, on: bool) -> None:
        """Whether message hooks are left out when messages are added."""
        self.hooks.silent = on

    def clear(self, retain_hooks: bool = False) -> None:
        """Begins anew: no messages, no historic ones, an empty prompt tree, and no message hooks unless retained.

        The tree's root and its standard containers stay the same objects; all else is taken out of the tree.
        """
        version = self._begin_anew(System())
        self.prompt_store.show(System(version=version))
        if not retain_hooks:
            self.hooks.clear("chat")

    def clear_messages(self) -> None:
        """Begins anew without messages and historic ones; the prompt tree and the hooks stay."""
        self._begin_anew(None)

    def _begin_anew(self, system: System | None) -> int:
        """Puts the window to the log's end; once more if it was put elsewhere meanwhile, so that it never goes back.

        Nothing that may fail comes behind this in a clear: its error would say that nothing was written.
        """
        while True:
            seen = self.state.window()
            count = self.log.count()
            try:
                return self.state.move(Window(count, count), system=system, seen=seen)
            except SendRunningError:
                if self.state.window() == seen:
                    raise

    def handoff(self, strategy: HandoffStrategy) -> None:
        """Makes the messages historic, and what the strategy gives for them the chat's messages. No hook is called.

        Raises ExpectedCountError if a message was added meanwhile, SendRunningError if somebody sends, or cleared or
        handed off meanwhile: nothing has changed then.
        """
        if self.state.is_running():
            raise SendRunningError
        window, count = self.state.window(), self.log.count()  # so that a clear in between is seen
        check_log_reaches(window.start, count)
        old = list(_spoken(self.log.iter_all(after=window.start, limit=max(0, count - window.start))))
        new, moved = drafts.admit_all(strategy.apply(old)), Window(window.cleared, count)
        if not new:
            self.state.move(moved, seen=window)
            return
        try:
            self.log.store(Append(new, count, conditions=tuple(self.state.moving(moved, seen=window))))
        except ConditionFailedError:
            raise SendRunningError from None

    def _after(self, after: int, start: int) -> Iterator[StoredMessage]:
        """The log's messages after `after` and `start`. Where there are none, the log may end before the window."""
        empty = True
        for message in self.log.iter_all(after=max(after, start)):
            empty = False
            yield message
        if empty and 0 < start >= after:
            check_log_reaches(start, self.log.count())

    def _up_to(self, start: int, after: int) -> Iterator[StoredMessage]:
        """The log's messages after `after`, up to `start`."""
        seq = after
        for message in self.log.iter_all(after=after, limit=max(0, start - after)):
            seq = message.seq
            yield message
        if seq < start:
            check_log_reaches(start, self.log.count())

    def _add(self, messages: Sequence[AgentMessage]) -> int:
        appended = self.log.write(Append(tuple(messages)))
        self.tell(appended.stored)
        return appended.seq


def _at_most(limit: int | None, messages: Iterator[StoredMessage]) -> list[StoredMessage]:
    if limit is None:
        return list(messages)
    check_number("limit", limit)
    return list(islice(messages, min(limit, sys.maxsize)))


def _spoken(messages: Iterable[StoredMessage]) -> Iterator[StoredMessage]:
    return (message for message in messages if message.role != "system")
