"""The queue of a chat in DynamoDB. Each message is one item, and the append that moves it to the log deletes the item.

An entry is `queue#<number>#<id>`. Its number is DynamoDB's time in microseconds, but at least one more than the number
of the last entry in the queue, which a strong read returns. So an enqueue that begins after another one was
acknowledged comes after it, also in another process. An entry that was deleted in the meantime is in the log already.
DynamoDB's clock has whole seconds only, and the order does not depend on it.

An enqueue puts its entry under the condition that it does not exist. If a reply is lost, the entry may be there, or it
may be drained already, and then the same put would double it. So each drain records in the state item, in the same
transaction, how far the queue was ever drained (`drained`). A put that follows a lost reply checks this record:

    entry exists   drained          meaning                                next step
    -------------  ---------------  -------------------------------------  ----------------------------
    yes            any              the entry is queued                    none: done
    no             before entry     it was never there, or is on its way   put it, with the same check
    no             at or after it   it may have been drained               none: UnknownOutcomeError

- The first put does not check `drained`, so that queueing a message never waits for a send that writes the state item.
- An entry may come before `drained` although nobody drained it, because DynamoDB's clock tells whole seconds. Then the
  outcome is unknown only if a reply was lost. A drain treats the entry like any other.
- The record never goes backwards. A drain of entries before it only checks that the record exists.
- A drain without a send (`chat.record` with the conditions of `unstaging`) makes the same record, without the fence.
- Entries of version 0.1.0 have the same form, with the time of a host as their number. New entries come after them. A
  process of that version drains without a record: until all processes run this version, the retry of an
  enqueue whose reply was lost may queue the message twice after such a drain.
- One case cannot be recognised: DynamoDB carries out a put only after the retry of that put was drained. For this, a
  request that got no answer within seconds would have to wait longer than a whole send.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from uuid import uuid4

from messagelog import codec
from messagelog.chat.states import rules
from messagelog.chat.states.blobs import BlobGoneError, Blobs
from messagelog.chat.states.items import ABSENT, PRESENT, Action, ChatItems, Item, RefusedError
from messagelog.chat.states.rules import Outcome
from messagelog.chat.states.state import Lease, Staged
from messagelog.dynamodb.damage import intact, missing
from messagelog.messages import AgentMessage

_STAGED_LENGTH = 4_000_000  # characters after which a read ends, so that any function has room for the messages
_FIRST, _LAST = "queue#", "queue#~"


class Staging:
    """The queue of one conversation. The methods are those of `ChatState`."""

    def __init__(self, items: ChatItems, blobs: Blobs) -> None:
        self._items = items
        self._table = items.table
        self._blobs = blobs
        self._lock = threading.Lock()
        self._last_number = 0

    def enqueue(self, message: AgentMessage) -> None:
        line = codec.to_line(codec.parse(message))
        blob = self._blobs.write(line)
        entry = self._next_entry()
        put = self._items.put({**self._table.key(entry), **blob}, ABSENT)
        check = self._items.change(rules.undrained(entry))

        def tell(_: Collection[int], end: float | None) -> Outcome:
            return Outcome.DONE if self._items.get(entry, end) else Outcome.OPEN

        with suppress(RefusedError):  # the entry exists, and no other process uses its id
            self._items.commit(put, tell=tell, again=(put, check))

    def staged(self, *, limit: int, up_to: str | None = None) -> Sequence[Staged]:
        staged: list[Staged] = []
        size = 0
        for item in self._table.query(_FIRST, up_to or _LAST, limit=limit):
            line = self._line(item)
            if line is None:
                continue
            size += len(line)
            staged.append(Staged(item["entry"]["S"], intact(_message_of, line), item))
            if size > _STAGED_LENGTH:
                break
        return staged

    def _line(self, item: Item) -> str | None:
        """The message of an entry as JSON text, None if another process has drained it in the meantime."""
        try:
            return self._blobs.read(item)
        except BlobGoneError:
            if self._items.get(item["entry"]["S"]):
                raise missing() from None
            return None

    def last_staged(self) -> str | None:
        last = next(self._table.query(_FIRST, _LAST, newest_first=True, limit=1), None)
        return None if last is None else str(last["entry"]["S"])

    def unstaging(self, staged: Sequence[Staged], lease: Lease | None) -> Sequence[Action]:
        drained = rules.draining(self._items.state(), max(each.entry for each in staged), lease)
        # The check comes last, so that the index of a failed condition is the index of its message.
        return [*(self._items.delete(each.entry, PRESENT) for each in staged), self._items.change(drained)]

    def discard(self, staged: Sequence[Staged]) -> None:
        for each in staged:
            self._blobs.delete(each.stored)

    def _next_entry(self) -> str:
        tail = self.last_staged()
        after = 0 if tail is None else intact(lambda: int(tail.split("#")[1]))
        now = self._items.now()
        with self._lock:
            self._last_number = max(int(now * 1_000_000), after + 1, self._last_number + 1)
            return f"queue#{self._last_number:016d}#{uuid4().hex[:12]}"


def _message_of(line: str) -> AgentMessage:
    return codec.parse(json.loads(line))
