"""An append: one transaction that moves the counter and puts the rows, sent until its outcome is known.

A `Plan` says what to write. `_Progress` holds what is known after the tries so far. Each answer changes it:

    answer                           written?        next try
    -------------------------------  --------------  ----------------------------------------------------------
    success                          yes             none
    the counter has moved            no              at once, with the count that the answer carries
    the idempotency key exists       no              none: the earlier append's seq, or IdempotencyMismatchError
    a condition of the caller fails  no              none: ConditionFailedError
    transaction conflict             no              after a pause, with the count read again
    throttled, not reached, expired  no              after a pause, the same transaction
    no answer, or a server error     unknown         after a pause, the same transaction with the same token
    refused                          no              none: StorageUnavailableError

After a try with an unknown outcome, a failed condition proves nothing: it may have failed because this append was done.
The first row of an append carries random bytes, so the next step is a strong read of that row. If the row is this
append's own, the append is done. If not, the counter is already larger, so the unknown try can never be done, and the
table above applies again. The same read is made at the end, when the time is up. The outcome is unknown only if this
read fails or shows neither case. The outcome never depends on a clock: DynamoDB forgets a token after ten minutes, but
its condition on the counter stays.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from messagelog import codec
from messagelog.dynamodb import keys, new_rows
from messagelog.dynamodb.damage import intact
from messagelog.dynamodb.faults import Fault, Meaning, unknown_outcome
from messagelog.dynamodb.known_counts import known_counts_of
from messagelog.dynamodb.limits import TRANSACTION_ACTIONS, fit_one_transaction, item_size
from messagelog.dynamodb.plan import HEAD, KEY, IdempotencyKey, Plan, StoredKey
from messagelog.dynamodb.retry import ONCE, Attempts
from messagelog.dynamodb.table import ConversationTable, count_in
from messagelog.errors import ExpectedCountError, IdempotencyMismatchError, NotWrittenError
from messagelog.messages import StoredMessage
from messagelog.names import check_new_partition
from messagelog.storage import Append, Appended, ConditionFailedError

_NONCE_BYTES = 8


@dataclass(slots=True)
class _Progress:
    """The knowledge after the tries so far.

    `count` is the number of messages before this append, None if it has to be read. `sent` is the transaction to send
    again unchanged, None to make a new one. `is_unknown` is true while the outcome of a try is unknown.
    """

    count: int | None
    sent: dict[str, Any] | None = None
    is_unknown: bool = False

    def begin_again(self, count: int | None) -> None:
        """Starts the next transaction from this count, because the last one was not done."""
        self.count, self.sent, self.is_unknown = count, None, False


class Writer:
    """Writes one append to a table. Call `run` once."""

    def __init__(self, table: ConversationTable, append: Append) -> None:
        self._table = table
        self._append = append
        self._at = datetime.now(UTC)
        self._end = table.retry.end()
        self._known_counts = known_counts_of(table.client)
        self._counters = table.counters
        self._name = (table.name, table.conversation)
        self._nonce = os.urandom(_NONCE_BYTES)
        self._key: IdempotencyKey | None = None
        known = self._known_counts.get(self._name)
        self._progress = _Progress(known if append.expected_count is None else append.expected_count)

    def run(self) -> Appended:
        """Writes the append, and tries again while another try can help. See `Storage.append`."""
        if self._append.idempotency_key is not None:
            self._key = self._key_of(self._append.idempotency_key)
        others = KEY + 1 + len(self._append.conditions)
        content = (self._table, self._append.messages, self._at, self._nonce)
        rows = new_rows.rows_of(*content) if len(self._append.messages) + others <= TRANSACTION_ACTIONS else []
        if not rows or not fit_one_transaction(rows, others=others):
            if (replay := self._replay_or_check()) is not None:  # before a useless segment is written
                return replay
            if self._progress.count is None:
                self._progress.count = self._read_head()
            if self._progress.count == 0:
                check_new_partition(self._table.conversation)
            rows = [new_rows.segment_row(*content)]
            self._end = self._table.retry.end()
        self._plan = self._plan_of(rows)
        try:
            return self._table.ask(self._try, learn=self._learn, deciding=self._plan.deciding, end=self._end)
        except NotWrittenError as error:
            self._known_counts.forget(self._name)
            # Both errors are proof: the counter is already larger, or the key belongs to other content.
            if not self._progress.is_unknown or isinstance(error, ExpectedCountError | IdempotencyMismatchError):
                raise
            return self._settled(error)

    def _try(self) -> Appended:
        """Sends the last transaction again, or a new one that starts from the known count."""
        progress = self._progress
        if progress.count is None:
            progress.count = self._table.head()
        if progress.count == 0:
            self._check_new_name()
        if progress.sent is None:
            progress.sent = self._plan.transaction(progress.count)
        self._table.transact(progress.sent)
        return self._appended(progress.count)

    def _check_new_name(self) -> None:
        """Raises ValueError for a name that no new conversation may have. An expected count may be wrong about that."""
        try:
            check_new_partition(self._table.conversation)
        except ValueError:
            if self._table.head() == 0:
                raise

    def _learn(self, fault: Fault, attempts: Attempts) -> Appended | None:
        """Updates the progress after a failed try. Returns the outcome if it is known now."""
        progress = self._progress
        if fault.leaves_open and progress.sent is not None:
            progress.is_unknown = True
        if fault.meaning is Meaning.CONFLICT:
            self._counters.conflicts += 1
            if not progress.is_unknown:  # another writer moves the counter: a read is cheaper than a try
                progress.begin_again(self._append.expected_count)
        if fault.meaning is not Meaning.CONDITION:
            return None
        if progress.is_unknown and self._is_own_row_there(self._end):
            return self._appended(self._count)
        if (replay := self._replay(fault)) is not None:
            return replay
        self._counters.conflicts += 1
        progress.begin_again(self._count_after(fault))
        attempts.at_once()  # at once, while the count is fresh
        return None

    def _settled(self, error: NotWrittenError) -> Appended:
        """Returns the outcome after the last try, which it reads from the table.

        Raises:
            NotWrittenError: The given error, if the counter is already larger, so that this append can never be done.
            UnknownOutcomeError: The table does not show the outcome.
        """
        try:
            # The counter is read first, because a running try may be done between the two reads.
            is_passed = self._table.ask(self._table.head, end=ONCE) != self._count
            if self._is_own_row_there(ONCE):
                return self._appended(self._count)
        except NotWrittenError:
            is_passed = False
        if is_passed:
            raise error
        raise unknown_outcome(error.code) from error

    @property
    def _count(self) -> int:
        """The count on which the last transaction was based."""
        assert self._progress.count is not None  # noqa: S101 - a transaction was sent
        return self._progress.count

    def _is_own_row_there(self, end: float) -> bool:
        """Whether the first row of this append is in the table. One strong read."""
        entry = self._plan.first_entry(self._count)
        row = self._table.ask(lambda: self._table.get(entry), end=end)
        return row is not None and row.get("nonce", {}).get("B") == self._nonce

    def _appended(self, count: int) -> Appended:
        messages = self._append.messages
        stored = tuple(StoredMessage.of(m, seq=count + i, at=self._at) for i, m in enumerate(messages, 1))
        self._known_counts.put(self._name, stored[-1].seq)
        self._counters.appends += 1
        self._counters.messages += len(stored)
        self._counters.bytes += sum(item_size(row) for row in self._plan.rows)
        return Appended(stored[-1].seq, stored)

    def _count_after(self, fault: Fault) -> int | None:
        """Returns the count in the answer of the counter's failed condition, or None if it has to be read."""
        for place in range(self._plan.first_condition, self._plan.deciding):
            if place in fault.failed:
                raise ConditionFailedError(place - self._plan.first_condition)
        head = fault.failed.get(HEAD)
        count = None if head is None else count_in(head)
        if self._append.expected_count is not None:
            raise ExpectedCountError(self._read_head() if count is None else count)
        return count

    def _replay_or_check(self) -> Appended | None:
        """Returns the result of an earlier append with this key; otherwise checks the expected count."""
        replay = self._replay()
        if replay is not None or self._append.expected_count is None:
            return replay
        count = self._read_head()
        if count == self._append.expected_count:
            return None
        if (replay := self._replay()) is not None:  # the same append, sent twice, may have changed the count
            return replay
        raise ExpectedCountError(count)

    def _replay(self, fault: Fault | None = None) -> Appended | None:
        """Returns the result of an earlier append with this key, or None.

        DynamoDB may not report every failed condition. So with an expected count, the key is always looked up.
        """
        key = self._key
        if key is None:
            return None
        known = None
        if fault is not None:
            if KEY not in fault.failed and self._append.expected_count is None:
                return None
            known = fault.failed.get(KEY)
        known = known or self._table.ask(lambda: self._table.get(key.entry), end=self._end)
        if known is None:
            return None
        stored = intact(StoredKey.of, known)
        if stored.expires_at < key.now:
            return None
        if stored.digest != key.digest:
            raise IdempotencyMismatchError
        self._counters.replays += 1
        return Appended(stored.seq, replayed=True)

    def _read_head(self) -> int:
        return self._table.ask(self._table.head, end=self._end)

    def _key_of(self, text: str) -> IdempotencyKey:
        """Returns the key to store. Its expiry is measured on DynamoDB's clock."""
        if self._table.clock.now() is None:
            count = self._read_head()
            if self._append.expected_count is None:
                self._progress.count = count
        now = self._table.clock.now() or self._at.timestamp()
        return IdempotencyKey(keys.idempotency_entry(text), codec.digest(self._append.messages), int(now))

    def _plan_of(self, rows: Sequence[dict[str, Any]]) -> Plan:
        table, append = self._table, self._append
        length = len(append.messages)
        return Plan(table.name, table.conversation, length, rows, self._nonce, self._key, append.conditions)
