"""A chat: a window on the log.

The log is append-only; the chat's state says where its window begins. Clearing and handing off move the window, and
the log keeps everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from messagelog.chat import drafts
from messagelog.chat.errors import SendRunningError
from messagelog.chat.handoff import HandoffStrategy
from messagelog.chat.hooks.builder import HookBuilder
from messagelog.chat.hooks.registry import Hooks
from messagelog.chat.prompts.container import PromptContainer
from messagelog.chat.prompts.store import PromptStore
from messagelog.chat.spoken import spoken
from messagelog.chat.states.state import ChatState, System, Window, check_log_reaches
from messagelog.checks import check_has, check_number
from messagelog.log import MessageLog, notify
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.storage import Append, ConditionFailedError, Storage


class Chat:
    """Prepares the context of an agent, records its messages, and calls hooks for them.

    A message that is added is in the log at once. Then the hooks are called.

    Args:
        log: The log, or the storage of one.
        state: The chat's state, in the same kind of storage, for the same conversation.

    Attributes:
        log: The log.
        state: The chat's state.
        hooks: The hooks of this process.
        prompt_store: The prompt tree.

    Raises:
        CodecError: A message cannot be stored, is a system message, or is a tool's result without the id of its call.
        OnAppendError: The messages are stored, but a hook raised.
        SendRunningError: `clear`, `clear_messages` or `handoff` was called while a send was running.
        MessageLogError: See `MessageLog.append`.
    """

    def __init__(self, log: MessageLog | Storage, state: ChatState) -> None:
        check_has("state", state, ("window", "acquire", "staged"), "a ChatState such as DynamoDBChatState(…)")
        self.log = log if isinstance(log, MessageLog) else MessageLog(log)
        self.state = state
        self.hooks = Hooks()
        self.prompt_store = PromptStore(state)
        self._system_override: str | None = None

    def system(self) -> PromptContainer:
        """Returns the root of the prompt tree, as it is stored. Every change in the tree is stored at once.

        A change raises the errors of PromptStore, and ValueError if the component was taken out of the tree.
        """
        return self.prompt_store.read()

    def editing_system(self) -> AbstractContextManager[PromptContainer]:
        """Stores all changes of a block as one, and none if it raises: `with chat.editing_system() as root:`."""
        return self.prompt_store.editing()

    def get_system(self) -> AgentMessage | None:
        """Returns the effective system message: the override, or else the composed tree. None without content."""
        text = self._system_override or self.system().compose()
        return drafts.stamped(AgentMessage("system", text)) if text else None

    def override_system(self, text: str | None) -> None:
        """Makes `get_system` return a flat text instead of the tree. None or blank text ends this. The tree stays."""
        self._system_override = text if text and text.strip() else None

    def messages(self, *, after: int = 0, limit: int | None = None) -> list[StoredMessage]:
        """Returns the messages of the window, without system messages.

        Args:
            after: The seq after which to begin.
            limit: The largest number of messages; None for all.
        """
        return list(self.iter_messages(after=after, limit=limit))

    def iter_messages(self, *, after: int = 0, limit: int | None = None) -> Iterator[StoredMessage]:
        """Yields the same messages as `messages`, and reads them while they are consumed."""
        check_number("after", after)
        start = self.state.window().start
        return spoken(lambda after, limit: self._after(after, start, limit), after, limit)

    def historic_messages(self, *, after: int = 0, limit: int | None = None) -> list[StoredMessage]:
        """Returns the messages that were handed off since the last clear. See `messages`."""
        return list(self.iter_historic_messages(after=after, limit=limit))

    def iter_historic_messages(self, *, after: int = 0, limit: int | None = None) -> Iterator[StoredMessage]:
        """Yields the same messages as `historic_messages`, and reads them while they are consumed."""
        check_number("after", after)
        window = self.state.window()
        return spoken(lambda after, limit: self._up_to(window.start, after, limit), max(after, window.cleared), limit)

    def user(self, content: str) -> int:
        """Adds a message of the user, and returns its seq."""
        return self._add([drafts.admit(drafts.user(content))])

    def assistant(self, content: str, tool_calls: Iterable[Any] | None = None) -> int:
        """Adds a message of the model, and returns its seq.

        Args:
            content: The text.
            tool_calls: ToolCalls, or calls in OpenAI's form:
                `{"id", "type": "function", "function": {"name", "arguments"}}`.
        """
        return self._add([drafts.admit(drafts.assistant(content, tool_calls))])

    def tool(self, content: str, tool_call_id: str) -> int:
        """Adds the result of the tool call with this id, and returns its seq."""
        return self._add([drafts.admit(drafts.tool(content, tool_call_id))])

    def reasoning(self, content: str) -> int:
        """Adds a message of the model's reasoning, and returns its seq."""
        return self._add([drafts.admit(drafts.reasoning(content))])

    def add_all(self, messages: Iterable[AgentMessage | Mapping[str, object]]) -> int:
        """Adds all messages or none, as values or in their JSON form, and returns the last seq."""
        return self._add(drafts.admit_all(messages))

    def record(self, messages: Sequence[AgentMessage], conditions: Sequence[Any] = ()) -> Sequence[StoredMessage]:
        """Stores messages with one append, without calling hooks. Pass the stored messages to `tell` afterwards.

        Args:
            messages: Messages that `drafts.admit` has checked.
            conditions: See `Append`.

        Raises:
            ConditionFailedError: One of the conditions does not hold.
            MessageLogError: See `Storage.append`.
        """
        return self.log.write(Append(tuple(messages), conditions=tuple(conditions))).stored

    def tell(self, stored: Sequence[StoredMessage]) -> None:
        """Calls the log's `on_append` and the message hooks for each of the messages.

        Raises:
            OnAppendError: One of them raised. The others were called too.
        """
        notify((*self.log.listeners, self.hooks.emit_message), stored)

    def hook(self) -> HookBuilder:
        """Begins a hook: `chat.hook().message("user").regex("help").max_triggers(1).do(callback)`."""
        return HookBuilder(self.hooks)

    def silent(self, on: bool) -> None:
        """Turns message hooks off, or on again. Messages are added in either case."""
        self.hooks.silent = on

    def clear(self, retain_hooks: bool = False) -> None:
        """Removes the messages, the historic messages, the prompt tree and the message hooks from the chat.

        The log keeps everything. The root of the tree and its standard containers stay the same objects.

        Args:
            retain_hooks: Keep the message hooks.
        """
        version = self._move_to_the_end(System())
        self.prompt_store.show(System(version=version))
        if not retain_hooks:
            self.hooks.clear("chat")

    def clear_messages(self) -> None:
        """Removes the messages and the historic messages from the chat. The prompt tree and the hooks stay."""
        self._move_to_the_end(None)

    def _move_to_the_end(self, system: System | None) -> int:
        """Moves the window to the log's end, and again if somebody moved it, so that it never moves back.

        Later steps of a clear cannot fail, because an error of this step says that nothing was written.
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
        """Makes the messages of the window historic, and opens a new window. No hook is called.

        Args:
            strategy: Chooses the messages of the new window.

        Raises:
            ExpectedCountError: A message was added during the handoff. Nothing has changed.
            SendRunningError: A send is running, or the window was moved during the handoff. Nothing has changed.
        """
        if self.state.is_running():
            raise SendRunningError
        window, count = self.state.window(), self.log.count()  # this order detects a clear in between
        check_log_reaches(window.start, count)
        old = list(spoken(lambda after, limit: self._up_to(count, after, limit), window.start))
        new, moved = drafts.admit_all(strategy.apply(old)), Window(window.cleared, count)
        if not new:
            self.state.move(moved, seen=window)
            return
        try:
            self.log.store(Append(new, count, conditions=tuple(self.state.moving(moved, seen=window))))
        except ConditionFailedError:
            raise SendRunningError from None

    def _after(self, after: int, start: int, limit: int | None) -> Iterator[StoredMessage]:
        """The log's messages after `after` and `start`. If there are none, checks that the log reaches the window."""
        empty = True
        for message in self.log.iter_all(after=max(after, start), limit=limit):
            empty = False
            yield message
        if empty and 0 < start >= after:
            check_log_reaches(start, self.log.count())

    def _up_to(self, start: int, after: int, limit: int | None) -> Iterator[StoredMessage]:
        """The log's messages after `after`, up to `start`."""
        wanted = max(0, start - after)
        wanted = wanted if limit is None else min(limit, wanted)
        seq = after
        for message in self.log.iter_all(after=after, limit=wanted):
            seq = message.seq
            yield message
        if seq < after + wanted:
            check_log_reaches(start, self.log.count())

    def _add(self, messages: Sequence[AgentMessage]) -> int:
        appended = self.log.write(Append(tuple(messages)))
        self.tell(appended.stored)
        return appended.seq
