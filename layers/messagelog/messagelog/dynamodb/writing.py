"""An append: one transaction that moves the counter and puts the rows, sent until its outcome is known.

The actions of the transaction are, in this order: the counter, the idempotency key if there is one, what commits with
the messages in other places, the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import uuid4

from messagelog import codec
from messagelog.dynamodb import keys, segments
from messagelog.dynamodb.faults import FAILURES, Fault, Meaning, error_for, fault_of
from messagelog.dynamodb.highwater import marks_of
from messagelog.dynamodb.limits import TRANSACTION_ACTIONS, fit_one_transaction, item_size, with_small_content
from messagelog.dynamodb.retry import Attempts
from messagelog.dynamodb.table import ConversationTable, count_in
from messagelog.errors import ExpectedCountError, IdempotencyMismatchError
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.storage import AlsoError, Appended

T = TypeVar("T")

_HEAD, _KEY = 0, 1  # their places in the transaction
_TOKEN_LIFE = timedelta(minutes=9)  # DynamoDB keeps a client token for ten; a machine may sleep between two tries
_KEY_SECONDS = 49 * 60 * 60  # a day is promised, to machines whose clocks may be a day apart


class Append:
    """One append. `run` it once."""

    def __init__(
        self,
        table: ConversationTable,
        messages: Sequence[AgentMessage],
        expected_count: int | None,
        idempotency_key: str | None,
        also: Sequence[dict[str, Any]],
    ) -> None:
        self._table = table
        self._messages = messages
        self._expected_count = expected_count
        self._key_entry = None if idempotency_key is None else keys.idempotency_entry(idempotency_key)
        self._digest = "" if idempotency_key is None else codec.digest(messages)
        self._also = also
        self._also_place = _KEY if idempotency_key is None else _KEY + 1
        self._at = datetime.now(UTC)
        self._now = int(self._at.timestamp())
        self._end = table.retry.end()
        self._marks = marks_of(table.client)
        self._counters = table.counters
        self._mark = (table.name, table.conversation)
        # What the next try goes by.
        self._count = self._marks.get(self._mark) if expected_count is None else expected_count
        self._transaction: dict[str, Any] | None = None  # as it was sent, to be sent again unchanged
        self._made = self._at  # when it was
        self._unknown = False  # whether it was sent and nothing has told its outcome

    def run(self) -> Appended:
        """Writes, and tries again while that is worth it. See `Storage.append`."""
        others = _KEY + 1 + len(self._also)
        rows = self._rows() if len(self._messages) + others <= TRANSACTION_ACTIONS else []
        if not rows or not fit_one_transaction(rows, others=others):
            # A segment that is then not needed would lie there for ever.
            if (replay := self._replay_or_check()) is not None:
                return replay
            rows = [self._segment_row()]
            self._end = self._table.retry.end()
        return self._commit(rows)

    def _replay_or_check(self) -> Appended | None:
        """What an earlier append with this key got; None if there was none, and the count is the expected one."""
        replay = self._replay()
        if replay is not None or self._expected_count is None:
            return replay
        count = self._read(self._table.head)
        if count == self._expected_count:
            return None
        if (replay := self._replay()) is not None:  # the same append, sent twice, may have moved the count meanwhile
            return replay
        raise ExpectedCountError(count)

    def _commit(self, rows: Sequence[dict[str, Any]]) -> Appended:
        attempts = self._table.retry.attempts(self._end)
        for attempt in attempts:
            self._counters.retries += attempt > 0
            try:
                return self._try(rows)
            except FAILURES as error:
                deciding = self._also_place + len(self._also)
                fault, cause = fault_of(error, deciding=deciding, resends=self._table.resends), error
                if (replay := self._learn(fault, attempts)) is not None:
                    return replay
                if fault.meaning is Meaning.REFUSED:
                    break
        self._marks.forget(self._mark)
        raise error_for(fault, unknown=self._unknown) from cause

    def _try(self, rows: Sequence[dict[str, Any]]) -> Appended:
        """Sends the transaction that was sent before, or a new one with the count as far as it is known."""
        if self._count is None:
            self._count = self._table.head()
        if self._transaction is None:
            self._transaction = self._transaction_of(rows, self._count)
            self._made = datetime.now(UTC)
        self._table.transact(self._transaction)
        self._counters.bytes += sum(item_size(row) for row in rows)
        return self._appended(self._count)

    def _learn(self, fault: Fault, attempts: Attempts) -> Appended | None:
        """What a failed try means for the next one; or the outcome, if the key turns out to have been used before."""
        if fault.leaves_open and self._transaction is not None:
            self._unknown = True
        if fault.meaning is Meaning.CONDITION:
            if (replay := self._replay(fault)) is not None:
                return replay
            if self._unknown and datetime.now(UTC) - self._made > _TOKEN_LIFE:
                raise error_for(fault, unknown=True)
            self._counters.conflicts += 1
            self._count = self._count_after(fault)
            self._transaction, self._unknown = None, False
            attempts.at_once()  # with the count just told, before it grows old
        elif fault.meaning is Meaning.CONFLICT:
            self._counters.conflicts += 1
            if not self._unknown:
                # Whoever is in the way moves the counter: half a read unit now spares four write units then.
                self._count, self._transaction = self._expected_count, None
        return None

    def _appended(self, count: int) -> Appended:
        stored = [StoredMessage.of(m, seq=count + i, at=self._at) for i, m in enumerate(self._messages, 1)]
        self._marks.put(self._mark, stored[-1].seq)
        self._counters.appends += 1
        self._counters.messages += len(stored)
        return Appended(stored[-1].seq, stored)

    def _count_after(self, fault: Fault) -> int | None:
        """The count that the counter's failed condition told, None if it has to be read."""
        for place in range(len(self._also)):
            if self._also_place + place in fault.failed:
                raise AlsoError(place)
        head = fault.failed.get(_HEAD)
        count = None if head is None else count_in(head)
        if self._expected_count is not None:
            count = self._read(self._table.head) if count is None else count
            self._marks.put(self._mark, count)
            raise ExpectedCountError(count)
        return count

    def _replay(self, fault: Fault | None = None) -> Appended | None:
        """What an earlier append with this key got, None if there was none.

        Not every failed condition need be reported: with an expected count the key is looked up to be sure.
        """
        if self._key_entry is None:
            return None
        entry, known = self._key_entry, None
        if fault is not None:
            if _KEY not in fault.failed and self._expected_count is None:
                return None
            known = fault.failed.get(_KEY)
        known = known or self._read(lambda: self._table.get(entry))
        if known is None or int(known["expires_at"]["N"]) < self._now:
            return None
        if known["digest"]["S"] != self._digest:
            raise IdempotencyMismatchError
        self._counters.replays += 1
        return Appended(int(known["seq"]["N"]), [])

    def _read(self, request: Callable[[], T]) -> T:
        return self._table.ask(request, end=self._end)

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each message. Its key and its batch are filled in when the count is known, and get no longer."""
        blank = self._table.key(keys.message_entry(0))
        if len(self._messages) > 1:
            blank["batch"] = {"S": f"{keys.MAX_SEQ}-{keys.MAX_SEQ}"}
        return [with_small_content({**blank, **codec.to_item(message, self._at)}) for message in self._messages]

    def _segment_row(self) -> dict[str, Any]:
        """Writes the messages as a segment, and returns the row that will point at it."""
        segment = uuid4().hex
        index, parts = segments.pack(self._messages)
        for number, data in enumerate(parts):
            part = {**self._table.key(keys.part_entry(segment, number)), "data": {"B": data}}
            self._table.put(part)
            self._counters.bytes += item_size(part)
        return {
            "at": {"N": str(codec.micros(self._at))},
            "batch": {"S": ""},
            "segment": {"S": segment},
            "index": {"S": index.to_text()},
        }

    def _transaction_of(self, rows: Sequence[dict[str, Any]], count: int) -> dict[str, Any]:
        """The request that moves the counter from `count` and puts the rows."""
        new_count = count + len(self._messages)
        actions = [{"Update": self._advance(count, new_count)}]
        if self._key_entry is not None:
            actions.append({"Put": self._key_put(self._key_entry, new_count)})
        actions += self._also
        for seq, row in enumerate(rows, new_count - len(rows) + 1):
            item = {**row, **self._table.key(keys.message_entry(seq))}
            if "batch" in row:
                item["batch"] = {"S": f"{count + 1}-{new_count}"}
            actions.append({"Put": self._put(item)})
        return {"TransactItems": actions, "ClientRequestToken": str(uuid4())}

    def _advance(self, count: int, new_count: int) -> dict[str, Any]:
        values = {":new": {"N": str(new_count)}}
        if count:
            values[":expected"] = {"N": str(count)}
        return {
            "TableName": self._table.name,
            "Key": self._table.key(keys.HEAD),
            "UpdateExpression": "SET #count = :new",
            "ConditionExpression": "#count = :expected" if count else "attribute_not_exists(#count)",
            "ExpressionAttributeNames": {"#count": "count"},
            "ExpressionAttributeValues": values,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def _put(self, item: dict[str, Any]) -> dict[str, Any]:
        return {
            "TableName": self._table.name,
            "Item": item,
            "ConditionExpression": "attribute_not_exists(#entry)",
            "ExpressionAttributeNames": {"#entry": "entry"},
        }

    def _key_put(self, entry: str, seq: int) -> dict[str, Any]:
        """Puts the idempotency key, unless it is there and its time is not over (DynamoDB deletes it days later)."""
        item = {
            **self._table.key(entry),
            "seq": {"N": str(seq)},
            "digest": {"S": self._digest},
            "expires_at": {"N": str(self._now + _KEY_SECONDS)},
        }
        return {
            "TableName": self._table.name,
            "Item": item,
            "ConditionExpression": "attribute_not_exists(#entry) OR #expires_at < :now",
            "ExpressionAttributeNames": {"#entry": "entry", "#expires_at": "expires_at"},
            "ExpressionAttributeValues": {":now": {"N": str(self._now)}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
