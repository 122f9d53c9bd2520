"""Chat state in DynamoDB: its own table, since what is in it changes and goes, and nobody may delete from the log's.

conversation (partition key)   the conversation
entry (sort key)               `state`                 the window, the lease of a running send, and the open turn
                               `system`                the prompt tree
                               `queue#<time>#<id>`    a message in the queue
                               `blob#<id>#<n>`         a part of a text that is too large for its item
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from messagelog import codec
from messagelog.chat.errors import LeaseLostError, PromptChangedError, SendRunningError, TurnDoneError
from messagelog.chat.states.blobs import BlobGoneError, Blobs
from messagelog.chat.states.items import Action, ChatItems, Item, RefusedError, attribute, number, text
from messagelog.chat.states.producer import producer
from messagelog.chat.states.state import Lease, Progress, Staged, System, Window
from messagelog.dynamodb import Counters, Retry, default_client
from messagelog.dynamodb.table import ConversationTable
from messagelog.errors import MessageLogError, StorageUnavailableError, UnknownOutcomeError
from messagelog.messages import AgentMessage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_STAGED_LENGTH = 4_000_000  # characters after which no more is read at once, so that any function has room for it
_STATE = "state"
_SYSTEM = "system"
_MAY_BE_QUEUED = (
    "DynamoDB did not answer: the message may or may not be in the queue; a send without content takes it into the "
    "chat if it is: look there before you queue it again"
)
_NO_LEASE = "DynamoDB did not answer: no send was begun; try again, if one is said to be running when its time is over"
_FREE = "(attribute_not_exists(#lease_end) OR #lease_end <= :now)"
_AS_SEEN = "#cleared = :seen_cleared AND #start = :seen_start"
_SEEN_AT_ZERO = "(attribute_not_exists(#start) OR #start = :seen_start)"
_HELD = "#fence = :fence AND #lease_end > :released"
_SAME_VERSION = "#version = :version"
_NO_VERSION = "attribute_not_exists(#version)"


class DynamoDBChatState:
    """Keeps one conversation's chat state in a table with the keys `conversation` and `entry`. See `ChatState`.

    `client`, `retry`, `counters` and the errors are as in `DynamoDBStorage`. `clock` tells the time in seconds, for the
    leases.
    """

    def __init__(
        self,
        conversation: str,
        *,
        table: str,
        client: DynamoDBClient | None = None,
        retry: Retry | None = None,
        counters: Counters | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._table = ConversationTable(client or default_client(), table, conversation, retry or Retry(), counters)
        self._items = ChatItems(self._table)
        self._blobs = Blobs(self._table)
        self._clock = clock

    def window(self) -> Window:
        """See `ChatState.window`. One GetItem."""
        state = self._items.get(_STATE)
        return Window(number(state, "cleared"), number(state, "start"))

    def is_running(self) -> bool:
        """See `ChatState.is_running`. One GetItem."""
        return self.progress().running

    def progress(self) -> Progress:
        """See `ChatState.progress`. One GetItem."""
        state = self._items.get(_STATE)
        running = number(state, "lease_end") > self._now()
        return Progress(running, failed=bool(_open_turn(state)) and not running)

    def move(self, window: Window, *, system: System | None = None, seen: Window | None = None) -> int:
        """See `ChatState.move`."""
        if system is None:
            self._move(*self.moving(window, seen=seen))
            return 0
        while True:
            old = self._items.get(_SYSTEM)
            version = number(old, "version") + 1
            item = self._system_item(system.tree, version)
            if self._move(*self.moving(window, seen=seen), self._put_system(item, old)):
                self._blobs.delete(old)
                return version
            self._blobs.delete(item)  # somebody changed the tree just now: that change is cleared as well

    def moving(self, window: Window, *, seen: Window | None = None) -> Sequence[Action]:
        """See `ChatState.moving`."""
        new: dict[str, int | str] = {"cleared": window.cleared, "start": window.start, "lease_end": 0, "turn": ""}
        condition, values = _FREE, {"now": self._now()}
        if seen is not None:
            condition += f" AND {_AS_SEEN if seen.start else _SEEN_AT_ZERO}"
            values |= {"seen_start": seen.start} | ({"seen_cleared": seen.cleared} if seen.start else {})
        # Who held a lease before is kept out, though the lease has run out and nobody has taken it over.
        return [self._items.update(_STATE, new, condition, raised="fence", **values)]

    def system(self) -> System:
        """See `ChatState.system`. One GetItem, and a Query for a tree over 350 KB compressed."""
        for _ in self._table.retry.attempts():
            item = self._items.get(_SYSTEM)
            with suppress(BlobGoneError):  # replaced between the two reads
                return System(self._blobs.read(item), number(item, "version")) if item else System()
        raise StorageUnavailableError("the prompt tree keeps changing, or a part of it is missing; try again")

    def put_system(self, tree: str, *, version: int) -> System:
        """See `ChatState.put_system`."""
        old = self._items.get(_SYSTEM)
        if number(old, "version") != version:
            raise PromptChangedError(number(old, "version"))
        item = self._system_item(tree, version + 1)
        try:
            self._items.commit(self._put_system(item, old))
        except RefusedError:
            self._blobs.delete(item)
            raise PromptChangedError(number(self._items.get(_SYSTEM), "version")) from None
        self._blobs.delete(old)
        return System(tree, version + 1)

    def enqueue(self, message: AgentMessage) -> None:
        """See `ChatState.enqueue`. One conditional write."""
        line = codec.to_line(codec.parse(message))
        item = {**self._table.key(producer.next_entry()), **self._blobs.write(line)}
        try:
            self._items.commit(self._items.put(item, "attribute_not_exists(#entry)"))
        except UnknownOutcomeError as error:
            raise _coded(error, UnknownOutcomeError(_MAY_BE_QUEUED)) from error

    def staged(self, *, limit: int, up_to: str | None = None) -> Sequence[Staged]:
        """See `ChatState.staged`. One Query, and one more for each message over 350 KB compressed."""
        staged: list[Staged] = []
        size = 0
        for item in self._table.query("queue#", up_to or "queue#~", limit=limit):
            with suppress(BlobGoneError):  # somebody else has drained it meanwhile
                line = self._blobs.read(item)
                size += len(line)
                staged.append(Staged(item["entry"]["S"], codec.parse(json.loads(line)), item))
            if size > _STAGED_LENGTH:
                break
        return staged

    def last_staged(self) -> str | None:
        """See `ChatState.last_staged`. One Query."""
        last = next(self._table.query("queue#", "queue#~", newest_first=True, limit=1), None)
        return None if last is None else str(last["entry"]["S"])

    def unstaging(self, staged: Sequence[Staged]) -> Sequence[Action]:
        """See `ChatState.unstaging`."""
        return [self._items.delete(each.entry, "attribute_exists(#entry)") for each in staged]

    def discard(self, staged: Sequence[Staged]) -> None:
        """See `ChatState.discard`."""
        for each in staged:
            self._blobs.delete(each.stored)

    def acquire(self, holder: str, *, seconds: float, turn: str | None = None) -> Lease:
        """See `ChatState.acquire`. One GetItem and one conditional write."""
        state = self._items.get(_STATE)
        last_holder = text(state, "holder")
        if turn not in (None, holder, text(state, "turn"), last_holder):
            raise TurnDoneError
        if number(state, "lease_end") > self._now() and last_holder not in (holder, turn):
            raise SendRunningError
        fence = number(state, "fence")
        end = self._now() + _millis(seconds)
        new: dict[str, int | str] = {"lease_end": end, "holder": holder, "turn": turn or _open_turn(state)}
        seen = {name: number(state, name) for name in ("fence", "lease_end") if name in state}
        try:
            self._move(self._items.update(_STATE, new, _lease_as(seen), "fence", **seen))
        except UnknownOutcomeError as error:
            raise _coded(error, StorageUnavailableError(_NO_LEASE)) from error
        return Lease(holder, fence + 1)

    def renew(self, lease: Lease, *, seconds: float) -> None:
        """See `ChatState.renew`. One conditional write."""
        try:
            self._move(self._lease_until(lease, self._now() + _millis(seconds)))
        except SendRunningError:
            raise LeaseLostError from None

    def release(self, lease: Lease, *, done: bool = False) -> None:
        """See `ChatState.release`. One conditional write."""
        with suppress(SendRunningError):
            self._move(self._lease_until(lease, 0, **({"turn": ""} if done else {})))

    def holding(self, lease: Lease) -> Sequence[Action]:
        """See `ChatState.holding`."""
        return [self._items.check(_STATE, "#fence = :fence", fence=lease.fence)]

    def _lease_until(self, lease: Lease, end: int, **more: str) -> Action:
        return self._items.update(_STATE, {"lease_end": end, **more}, _HELD, fence=lease.fence, released=0)

    def _move(self, state: Action, *others: Action) -> bool:
        """Commits a change of the state item, others with it; whether the conditions of the others held."""
        try:
            self._items.commit(state, *others)
        except RefusedError as refused:
            if 0 in refused.places:
                raise SendRunningError from None
            return False
        return True

    def _put_system(self, item: Mapping[str, Any], old: Mapping[str, Any]) -> Action:
        if old:
            return self._items.put(item, _SAME_VERSION, version=number(old, "version"))
        return self._items.put(item, _NO_VERSION)

    def _system_item(self, tree: str, version: int) -> dict[str, Any]:
        return {**self._table.key(_SYSTEM), "version": attribute(version), **self._blobs.write(tree)}

    def _now(self) -> int:
        return _millis(self._clock())


def _coded(error: MessageLogError, other: MessageLogError) -> MessageLogError:
    """The other error, with the code of this one."""
    other.code = error.code
    return other


def _lease_as(seen: Mapping[str, int]) -> str:
    """The condition that nobody has taken, renewed or given back the lease since; `seen` are its numbers then."""
    names = ("fence", "lease_end")
    return " AND ".join(f"#{name} = :{name}" if name in seen else f"attribute_not_exists(#{name})" for name in names)


def _open_turn(state: Item) -> str:
    """The turn that was begun and is not done; else that of a holder who was to begin one and kept the lease."""
    return text(state, "turn") or (text(state, "holder") if number(state, "lease_end") else "")


def _millis(seconds: float) -> int:
    return int(seconds * 1000)
