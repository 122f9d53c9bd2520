"""The log of one conversation: everything that can be derived from a storage's three methods, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypedDict, Unpack, overload

from messagelog import codec
from messagelog.checks import check_has, check_number
from messagelog.errors import ExpectedCountError, OnAppendError
from messagelog.messages import AgentMessage, Role, StoredMessage
from messagelog.storage import Storage
from messagelog.strictjson import is_unicode
from messagelog.travel import check_travels
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai
from messagelog.views.windows import REACH, window

MAX_KEY_LENGTH = 255


class Limits(TypedDict, total=False):
    """How much of the history a view shows: the arguments of `MessageLog.window`."""

    last: int | None
    max_tokens: int | None
    count_tokens: Callable[[str], int] | None
    after: int
    consistent: bool


class MessageLog:
    """An append-only log of messages. Each gets the next seq: 1, 2, 3 … without a gap.

    `storage` keeps one conversation. `on_append(stored_message)` is called once for each message after its commit, in
    order; what it raises is raised as OnAppendError, and the messages stay stored.

    Reads see every write that was acknowledged before; with `consistent=False` they may not, and cost half.
    Numbers out of range raise ValueError, arguments of another kind TypeError. What the storage raises is in
    `messagelog.errors`.
    """

    def __init__(self, storage: Storage, on_append: Callable[[StoredMessage], object] | None = None) -> None:
        check_has("storage", storage, ("append", "read", "count"), "a Storage such as DynamoDBStorage(…)")
        self._storage = storage
        self._on_append = on_append

    def add(
        self, role: Role, content: str, *, expected_count: int | None = None, idempotency_key: str | None = None
    ) -> int:
        """Appends a message of just a role and a text: see `append`."""
        message = AgentMessage(role, content)
        return self.append(message, expected_count=expected_count, idempotency_key=idempotency_key)

    def append(
        self,
        message: AgentMessage | Mapping[str, object],
        *,
        expected_count: int | None = None,
        idempotency_key: str | None = None,
    ) -> int:
        """Appends a message, given as a value or in its JSON form, and returns its seq.

        `expected_count`: only if the log holds that many messages, else ExpectedCountError. `idempotency_key`: text
        that names this append in its conversation; done again with the same key and content, within a day at least, it
        returns the first seq and writes nothing; with other content it raises IdempotencyMismatchError.

        Raises CodecError if the message cannot be stored and read back equal, MessageTooLargeError if no reply could
        carry it.
        """
        return self._store([_checked(message, "")], expected_count, idempotency_key)

    def append_many(
        self,
        messages: Iterable[AgentMessage | Mapping[str, object]],
        *,
        expected_count: int | None = None,
        idempotency_key: str | None = None,
        also: Sequence[Any] = (),
        on_stored: Callable[[StoredMessage], object] | None = None,
    ) -> int:
        """Appends all messages or none, one behind the other, of any number and size, and returns the last seq.

        Of no messages it writes nothing, not even the idempotency key, and returns the count. Otherwise like `append`.

        For the chat layer: `also` commits with the messages, see `Storage.append`; `on_stored` is called like
        `on_append`, and after it.
        """
        batch = [_checked(message, path) for path, message in codec.each(messages)]
        return self._store(batch, expected_count, idempotency_key, also, on_stored)

    def all(self, *, after: int = 0, limit: int | None = None, consistent: bool = True) -> list[StoredMessage]:
        """The messages with a seq greater than `after`, oldest first, at most `limit`: without either, all of them."""
        return list(self.iter_all(after=after, limit=limit, consistent=consistent))

    def iter_all(self, *, after: int = 0, limit: int | None = None, consistent: bool = True) -> Iterator[StoredMessage]:
        """The same as `all`, read as it is consumed."""
        check_number("after", after)
        return self._read(limit, after=after, consistent=consistent)

    def newest_first(self, limit: int | None = None, *, consistent: bool = True) -> Iterator[StoredMessage]:
        """The messages from the last one back, at most `limit`, read as they are consumed."""
        return self._read(limit, newest_first=True, consistent=consistent)

    @overload
    def last(self, *, consistent: bool = True) -> StoredMessage | None: ...
    @overload
    def last(self, n: int, *, consistent: bool = True) -> list[StoredMessage]: ...
    def last(self, n: int | None = None, *, consistent: bool = True) -> StoredMessage | list[StoredMessage] | None:
        """The last message, None if there is none; with `n` the last n, oldest first."""
        if n is None:
            return next(self.newest_first(1, consistent=consistent), None)
        check_number("n", n)
        return list(self.newest_first(n, consistent=consistent))[::-1]

    def count(self, *, consistent: bool = True) -> int:
        """The number of messages, which is the seq of the last one."""
        return self._storage.count(consistent=consistent)

    def window(
        self,
        *,
        last: int | None = None,
        max_tokens: int | None = None,
        count_tokens: Callable[[str], int] | None = None,
        after: int = 0,
        consistent: bool = True,
    ) -> list[StoredMessage]:
        """The newest messages within the limits, cut where a provider accepts the cut, oldest first.

        At most `last` messages of at most `max_tokens` tokens, counted by `count_tokens` (a text's tokens) or estimated
        at 4 UTF-8 bytes each; without a limit, all of them. For a window, the log begins behind `after`. It reads about
        what it returns.
        """
        check_number("after", after)
        if last is None and max_tokens is None:
            return self.all(after=after, consistent=consistent)
        newest_first = self._storage.read(after=after, newest_first=True, consistent=consistent)
        return window(newest_first, last=last, max_tokens=max_tokens, count_tokens=count_tokens)

    def to_openai(self, *, faithful: bool = False, **limits: Unpack[Limits]) -> list[dict[str, Any]]:
        """The history as OpenAI Chat Completions messages, made right where OpenAI would refuse it.

        `faithful` gives it as it is; the limits are those of `window`.
        """
        return to_openai(self.window(**limits), faithful=faithful, reach=_reach(limits))

    def to_anthropic(self, *, faithful: bool = False, **limits: Unpack[Limits]) -> list[dict[str, Any]]:
        """The same as turns of the Anthropic Messages API. Pass system messages as the request's `system` yourself."""
        return to_anthropic(self.window(**limits), faithful=faithful, reach=_reach(limits))

    def to_bedrock(self, *, faithful: bool = False, **limits: Unpack[Limits]) -> list[dict[str, Any]]:
        """The same as messages of the Bedrock Converse API. Pass system messages as the request's `system` yourself."""
        return to_bedrock(self.window(**limits), faithful=faithful, reach=_reach(limits))

    def to_langchain(self, *, faithful: bool = False, **limits: Unpack[Limits]) -> list[dict[str, Any]]:
        """The same as LangChain messages: the text of system, user and assistant only."""
        return to_langchain(self.window(**limits), faithful=faithful, reach=_reach(limits))

    def _store(
        self,
        messages: list[AgentMessage],
        expected_count: int | None,
        idempotency_key: str | None,
        also: Sequence[Any] = (),
        on_stored: Callable[[StoredMessage], object] | None = None,
    ) -> int:
        if expected_count is not None:
            check_number("expected_count", expected_count)
        if idempotency_key is not None:
            _check_key(idempotency_key)
        if not messages:
            return self._count_if(expected_count)
        appended = self._storage.append(
            messages, expected_count=expected_count, idempotency_key=idempotency_key, also=also
        )
        _call_back([call for call in (self._on_append, on_stored) if call], appended.stored)
        return appended.seq

    def _count_if(self, expected_count: int | None) -> int:
        count = self.count()
        if expected_count not in (None, count):
            raise ExpectedCountError(count)
        return count

    def _read(self, limit: int | None, **how: Any) -> Iterator[StoredMessage]:
        if limit is None:
            return self._storage.read(**how)
        check_number("limit", limit)
        return self._storage.read(limit=limit, **how) if limit else iter(())


def _checked(message: AgentMessage | Mapping[str, object], path: str) -> AgentMessage:
    checked = codec.parse(message, path)
    check_travels(checked, path)
    return checked


def _call_back(callbacks: Sequence[Callable[[StoredMessage], object]], stored: Sequence[StoredMessage]) -> None:
    """Tells of every message, also of those behind one whose call raised; then raises for the first that did."""
    first_error: Exception | None = None
    for message, call in product(stored, callbacks):
        try:
            call(message)
        except Exception as error:
            first_error = first_error or error
    if first_error:
        raise OnAppendError(tuple(message.seq for message in stored)) from first_error


def _reach(limits: Limits) -> int | None:
    windowed = limits.get("last") is not None or limits.get("max_tokens") is not None
    return REACH if windowed else None


def _check_key(key: str) -> None:
    if type(key) is not str or not 0 < len(key) <= MAX_KEY_LENGTH or not is_unicode(key):
        raise ValueError(f"idempotency_key must be a text of 1 to {MAX_KEY_LENGTH} characters")
