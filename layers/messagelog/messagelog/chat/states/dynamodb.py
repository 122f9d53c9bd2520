"""Chat state in DynamoDB. It has its own table, because it deletes items, and nobody may delete from the log's table.

conversation (partition key)   the conversation
entry (sort key)               `state`                 the window, the lease, the open turn: see `rules.StateItem`
                               `system`                the prompt tree
                               `queue#<number>#<id>`   a message in the queue: see `staging`
                               `blob#<id>#<n>`         a part of a text that is too large for its item
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from messagelog.chat.errors import LeaseLostError, PromptChangedError, SendRunningError
from messagelog.chat.states import rules
from messagelog.chat.states.blobs import BlobGoneError, Blobs
from messagelog.chat.states.items import ABSENT, Action, ChatItems, Item, RefusedError, Tell, attribute, number
from messagelog.chat.states.rules import Change, Outcome
from messagelog.chat.states.staging import Staging
from messagelog.chat.states.state import Lease, Progress, Staged, System, Window
from messagelog.dynamodb import Counters, Retry, default_client
from messagelog.dynamodb.table import ConversationTable
from messagelog.errors import MessageLogError, StorageUnavailableError, UnknownOutcomeError
from messagelog.messages import AgentMessage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_SYSTEM = "system"
_SAME_VERSION = "#version = :version"
_MARGIN = 2.0  # seconds: DynamoDB sends its time in whole seconds, and a reply takes some time to arrive
_MAY_BE_QUEUED = (
    "DynamoDB did not answer: the message may or may not be in the queue; a send without content moves it to the "
    "chat if it is: look there before you queue it again"
)
_NO_LEASE = "DynamoDB did not answer: no send was started; try again now, or after the lease of this try has run out"


class DynamoDBChatState:
    """Keeps one conversation's chat state in a table with the keys `conversation` and `entry`. See `ChatState`.

    Args:
        conversation: The conversation: 1 to 2,048 bytes of text.
        table: The table's name.
        client: See `DynamoDBStorage`.
        retry: How long a request is tried.
        counters: Counts what is done.
        clock: Returns the time in seconds, for the leases. The default is DynamoDB's clock, which all processes share.
            Each lease then lasts two seconds longer than its holder asked for, because that clock has whole seconds
            only.

    Raises:
        ValueError: The conversation or the table's name is not legal.
        TypeError: The client is not a client for DynamoDB.
        StorageUnavailableError: No region is configured.
    """

    def __init__(
        self,
        conversation: str,
        *,
        table: str,
        client: DynamoDBClient | None = None,
        retry: Retry | None = None,
        counters: Counters | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._table = ConversationTable(client or default_client(), table, conversation, retry or Retry(), counters)
        self._items = ChatItems(self._table)
        self._blobs = Blobs(self._table)
        self._staging = Staging(self._items, self._blobs)
        self._clock = clock or self._items.now
        self._margin = 0.0 if clock else _MARGIN

    def window(self) -> Window:
        """See `ChatState.window`. One GetItem."""
        return self._items.state().window

    def is_running(self) -> bool:
        """See `ChatState.is_running`. One GetItem."""
        return self.progress().running

    def progress(self) -> Progress:
        """See `ChatState.progress`. One GetItem."""
        item = self._items.state()  # before the time is asked for: the reply brings it
        return item.progress(self._now())

    def move(self, window: Window, *, system: System | None = None, seen: Window | None = None) -> int:
        """See `ChatState.move`. One GetItem, a second one with `system`, and one conditional write."""
        while True:
            old = {} if system is None else self._items.get(_SYSTEM)
            version = number(old, "version") + 1
            puts = [] if system is None else [self._put_system(self._system_item(system.tree, version), old)]
            try:
                self._move(window, seen, puts)
            except RefusedError:  # somebody changed the tree or the state just now: look again
                continue
            self._blobs.delete(old)
            return 0 if system is None else version

    def moving(self, window: Window, *, seen: Window | None = None) -> Sequence[Action]:
        """See `ChatState.moving`. One GetItem."""
        before = self._items.state()  # so that DynamoDB cannot carry out a refused append later
        return [self._items.change(rules.move(window, seen, now=self._now()).once(before))]

    def _move(self, window: Window, seen: Window | None, puts: Sequence[Action]) -> None:
        """Moves the window, with these puts. Raises RefusedError if another change came in between."""
        before = self._items.state()
        move = rules.move(window, seen, now=self._now())
        if not move.holds(before):
            raise SendRunningError
        own = uuid4().hex
        change = replace(move, new={**move.new, "moved": own}).once(before)

        def tell(places: Collection[int], end: float | None) -> Outcome:
            found = self._items.state(end)
            if found.moved != own and places and 0 not in places:
                return Outcome.NEVER  # a tree's version only grows
            return rules.outcome_of(change, before, found, is_own=found.moved == own)

        self._items.commit(self._items.change(change), *puts, tell=tell)

    def system(self) -> System:
        """See `ChatState.system`. One GetItem, and a Query for a tree over 350 KB compressed."""
        for _ in self._table.retry.attempts():
            item = self._items.get(_SYSTEM)
            with suppress(BlobGoneError):  # replaced between the two reads
                return System(self._blobs.read(item), number(item, "version")) if item else System()
        raise StorageUnavailableError("the prompt tree keeps changing, or a part of it is missing; try again")

    def put_system(self, tree: str, *, version: int) -> System:
        """See `ChatState.put_system`. One GetItem and one conditional write."""
        old = self._items.get(_SYSTEM)
        if number(old, "version") != version:
            raise PromptChangedError(number(old, "version"))
        item = self._system_item(tree, version + 1)
        try:
            self._items.commit(self._put_system(item, old), tell=self._tell_system(item))
        except RefusedError:
            raise PromptChangedError(number(self._items.get(_SYSTEM), "version")) from None
        self._blobs.delete(old)
        return System(tree, version + 1)

    def enqueue(self, message: AgentMessage) -> None:
        """See `ChatState.enqueue`. One Query and one conditional write."""
        try:
            self._staging.enqueue(message)
        except UnknownOutcomeError as error:
            raise _coded(error, UnknownOutcomeError(_MAY_BE_QUEUED)) from error

    def staged(self, *, limit: int, up_to: str | None = None) -> Sequence[Staged]:
        """See `ChatState.staged`. One Query, and one more for each message over 350 KB compressed."""
        return self._staging.staged(limit=limit, up_to=up_to)

    def last_staged(self) -> str | None:
        """See `ChatState.last_staged`. One Query."""
        return self._staging.last_staged()

    def unstaging(self, staged: Sequence[Staged], lease: Lease | None = None) -> Sequence[Action]:
        """See `ChatState.unstaging`. One GetItem."""
        return self._staging.unstaging(staged, lease)

    def discard(self, staged: Sequence[Staged]) -> None:
        """See `ChatState.discard`."""
        self._staging.discard(staged)

    def acquire(self, holder: str, *, seconds: float, turn: str | None = None) -> Lease:
        """See `ChatState.acquire`. One GetItem and one conditional write."""
        before = self._items.state()  # before the time is asked for: the reply brings it
        change = rules.acquire(before, holder, turn, now=self._now(), end=self._end(seconds))

        def tell(_: Collection[int], end: float | None) -> Outcome:
            found = self._items.state(end)
            is_own = found.holder == holder and found.fence == before.fence + 1
            return rules.outcome_of(change, before, found, is_own=is_own)

        try:
            self._items.commit(self._items.change(change), tell=tell)
        except RefusedError:
            raise SendRunningError from None
        except UnknownOutcomeError as error:
            raise _coded(error, StorageUnavailableError(_NO_LEASE)) from error
        return Lease(holder, before.fence + 1, before.start)

    def renew(self, lease: Lease, *, seconds: float) -> None:
        """See `ChatState.renew`. One conditional write."""
        renewal = rules.renew(lease, end=self._end(seconds))
        try:
            self._items.commit(self._items.change(renewal), tell=self._tell_held(renewal))
        except RefusedError:
            raise LeaseLostError from None

    def release(self, lease: Lease, *, done: bool = False) -> None:
        """See `ChatState.release`. One conditional write."""
        release = rules.release(lease, done=done)
        with suppress(RefusedError):
            self._items.commit(self._items.change(release), tell=self._tell_held(release))

    def holding(self, lease: Lease) -> Sequence[Action]:
        """See `ChatState.holding`."""
        return [self._items.change(rules.holding(lease))]

    def _tell_held(self, change: Change) -> Tell:
        """The outcome of a renewal or release. After a failed condition, the lease is not held, done or not."""
        return lambda places, end: Outcome.NEVER if places else _open_if(change.holds(self._items.state(end)))

    def _tell_system(self, item: Item) -> Tell:
        """Whether a prompt tree was written. Its version identifies it until the next change."""

        def tell(_: Collection[int], end: float | None) -> Outcome:
            found = self._items.get(_SYSTEM, end)
            if found == item:
                return Outcome.DONE
            return _open_if(number(found, "version") != number(item, "version"))

        return tell

    def _put_system(self, item: Mapping[str, Any], old: Mapping[str, Any]) -> Action:
        if old:
            return self._items.put(item, _SAME_VERSION, version=number(old, "version"))
        return self._items.put(item, ABSENT)

    def _system_item(self, tree: str, version: int) -> dict[str, Any]:
        return {**self._table.key(_SYSTEM), "version": attribute(version), **self._blobs.write(tree)}

    def _now(self) -> int:
        return int(1000 * self._clock())

    def _end(self, seconds: float) -> int:
        return int(1000 * (self._clock() + seconds + self._margin))


def _open_if(condition: bool) -> Outcome:
    return Outcome.OPEN if condition else Outcome.NEVER


def _coded(error: MessageLogError, other: MessageLogError) -> MessageLogError:
    """Returns the first error with the code of the second one."""
    other.code = error.code
    return other
