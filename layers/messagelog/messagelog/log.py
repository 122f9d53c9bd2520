"""MessageLog: all operations on a conversation. They need only three methods of a storage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Unpack, overload

from messagelog.admission import admit, admit_all
from messagelog.checks import check_has, check_number
from messagelog.errors import ExpectedCountError, OnAppendError
from messagelog.messages import AgentMessage, Messages, Role, StoredMessage
from messagelog.storage import Append, Appended, Storage
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai
from messagelog.views.turns import ProviderMessage
from messagelog.views.view_arguments import WINDOW_ARGUMENTS, Limits, ViewArguments
from messagelog.views.window_limits import WindowLimits
from messagelog.views.windows import window

Listener = Callable[[StoredMessage], object]


class MessageLog:
    """An append-only log of messages. Each message gets the next seq: 1, 2, 3 … without a gap.

    A read sees every write that was acknowledged before it began. With `consistent=False` it may miss the newest
    writes, and costs half.

    Args:
        storage: Keeps one conversation.
        on_append: Called with each stored message after the commit, once and in order. If it raises, the messages stay
            stored and the append raises OnAppendError.

    Raises:
        TypeError: An argument is of the wrong kind.
        ValueError: A number is out of range.
        MessageLogError: The storage failed; `messagelog.errors` has the classes.
    """

    def __init__(self, storage: Storage, on_append: Listener | None = None) -> None:
        check_has("storage", storage, ("append", "read", "count"), "a Storage such as DynamoDBStorage(…)")
        self._storage = storage
        self.listeners: tuple[Listener, ...] = (on_append,) if on_append else ()

    def add(
        self, role: Role, content: str, *, expected_count: int | None = None, idempotency_key: str | None = None
    ) -> int:
        """Appends a message that has only a role and a text. See `append`."""
        return self.append(AgentMessage(role, content), expected_count=expected_count, idempotency_key=idempotency_key)

    def append(
        self,
        message: AgentMessage | Mapping[str, object],
        *,
        expected_count: int | None = None,
        idempotency_key: str | None = None,
    ) -> int:
        """Appends a message.

        Args:
            message: The message, as a value or in its JSON form.
            expected_count: Append only if the log holds this many messages.
            idempotency_key: Text of 1 to 255 characters that names this append in its conversation. The same key with
                the same content returns the first seq and writes nothing, for a day at least.

        Returns:
            The message's seq.

        Raises:
            CodecError: The message cannot be stored and read back equal.
            MessageTooLargeError: No reply could carry the message.
            ExpectedCountError: The log holds another number of messages.
            IdempotencyMismatchError: The key was used before, for other content.
            UnknownOutcomeError: No answer came, so the message may or may not be stored.
            OnAppendError: The message is stored, but `on_append` raised.
        """
        return self.store(Append((admit(message),), expected_count, idempotency_key)).seq

    def append_many(
        self,
        messages: Iterable[AgentMessage | Mapping[str, object]],
        *,
        expected_count: int | None = None,
        idempotency_key: str | None = None,
    ) -> int:
        """Appends all messages or none, one after another. Their number and size may be large.

        An empty batch writes nothing, not even the idempotency key. Otherwise it works like `append`.

        Returns:
            The last message's seq; the count for an empty batch.
        """
        return self.store(Append(admit_all(messages), expected_count, idempotency_key)).seq

    def store(self, append: Append) -> Appended:
        """Stores the messages of an append, and calls `on_append` for each of them.

        `add`, `append` and `append_many` end here. Use it to learn whether an append was a repeat.

        Raises:
            OnAppendError: The messages are stored, but `on_append` raised.
            MessageLogError: See `Storage.append`.
        """
        appended = self.write(append)
        notify(self.listeners, appended.stored)
        return appended

    def write(self, append: Append) -> Appended:
        """Stores the messages of an append without calling `on_append`. The caller passes them to `notify` later."""
        if append.messages:
            return self._storage.append(append)
        count = self.count()
        if append.expected_count not in (None, count):
            raise ExpectedCountError(count)
        return Appended(count)

    def all(self, *, after: int = 0, limit: int | None = None, consistent: bool = True) -> list[StoredMessage]:
        """Returns the messages with a seq greater than `after`, oldest first.

        Args:
            after: The seq after which to begin.
            limit: The largest number of messages to return; None for all.
            consistent: If false, the newest writes may be missing, at half the cost.
        """
        return list(self.iter_all(after=after, limit=limit, consistent=consistent))

    def iter_all(self, *, after: int = 0, limit: int | None = None, consistent: bool = True) -> Iterator[StoredMessage]:
        """Yields the same messages as `all`, and reads them while they are consumed."""
        check_number("after", after)
        return self._read(limit, after=after, consistent=consistent)

    def newest_first(self, limit: int | None = None, *, consistent: bool = True) -> Iterator[StoredMessage]:
        """Yields the messages from the last one back, at most `limit`, and reads them while they are consumed."""
        return self._read(limit, newest_first=True, consistent=consistent)

    @overload
    def last(self, *, consistent: bool = True) -> StoredMessage | None: ...
    @overload
    def last(self, n: int, *, consistent: bool = True) -> list[StoredMessage]: ...
    def last(self, n: int | None = None, *, consistent: bool = True) -> StoredMessage | list[StoredMessage] | None:
        """Returns the last message, None if there is none; with `n` the last n messages, oldest first."""
        if n is None:
            return next(self.newest_first(1, consistent=consistent), None)
        check_number("n", n)
        return list(self.newest_first(n, consistent=consistent))[::-1]

    def count(self, *, consistent: bool = True) -> int:
        """Returns the number of messages, which is the seq of the last one."""
        return self._storage.count(consistent=consistent)

    def window(
        self,
        *,
        after: int = 0,
        consistent: bool = True,
        **limits: Unpack[Limits],
    ) -> Messages:
        """Returns the newest messages within the limits, cut where a provider accepts the cut, oldest first.

        It reads about as much as it returns, and is empty only if the log is.

        Args:
            after: The seq after which the log begins for this window.
            consistent: If false, the newest writes may be missing, at half the cost.
            **limits: `last`, `max_tokens`, `step`, `count_tokens` and `count_file`, as `WindowLimits` describes them.
                Without a limit, all messages are returned.

        Returns:
            The messages, as a list that knows how it was cut.

        Raises:
            ValueError: A limit is out of range, or `step` is larger than `last`.
        """
        check_number("after", after)
        wanted = WindowLimits(**limits)
        if wanted.is_open:
            return Messages(self.iter_all(after=after, consistent=consistent))
        return window(self._storage.read(after=after, newest_first=True, consistent=consistent), wanted)

    def to_openai(self, **arguments: Unpack[ViewArguments]) -> list[ProviderMessage]:
        """Returns the history as OpenAI Chat Completions messages, repaired where OpenAI would refuse it.

        Args:
            **arguments: The arguments of `window`, and `faithful`, `model`, `reasoning` and `resolve` as `Target`
                describes them.
        """
        return self._view(to_openai, arguments)

    def to_anthropic(self, **arguments: Unpack[ViewArguments]) -> list[ProviderMessage]:
        """Returns the history as turns of the Anthropic Messages API. See `to_openai`.

        System messages are left out: pass them as the request's `system`. Claude 4.6 and later refuse a request whose
        last turn is the assistant's: append a user message first.
        """
        return self._view(to_anthropic, arguments)

    def to_bedrock(self, **arguments: Unpack[ViewArguments]) -> list[ProviderMessage]:
        """Returns the history as messages of the Bedrock Converse API. See `to_openai`.

        System messages are left out: pass them as the request's `system`.
        """
        return self._view(to_bedrock, arguments)

    def to_langchain(self, **arguments: Unpack[ViewArguments]) -> list[ProviderMessage]:
        """Returns the history as LangChain messages: only the text of system, user and assistant. See `to_openai`."""
        return self._view(to_langchain, arguments)

    def _view(self, view: Callable[..., list[ProviderMessage]], arguments: ViewArguments) -> list[ProviderMessage]:
        options: dict[str, Any] = dict(arguments)
        limits = {name: options.pop(name) for name in WINDOW_ARGUMENTS if name in options}
        return view(self.window(**limits), **options)

    def _read(self, limit: int | None, **how: Any) -> Iterator[StoredMessage]:
        if limit is None:
            return self._storage.read(**how)
        check_number("limit", limit)
        return self._storage.read(limit=limit, **how) if limit else iter(())


def notify(listeners: Sequence[Listener], stored: Sequence[StoredMessage]) -> None:
    """Calls every listener with each message in turn, even after one of them raised.

    Raises:
        OnAppendError: A listener raised; the first error is the cause.
    """
    first_error: Exception | None = None
    for message, listener in product(stored, listeners):
        try:
            listener(message)
        except Exception as error:
            first_error = first_error or error
    if first_error:
        raise OnAppendError(tuple(message.seq for message in stored)) from first_error
