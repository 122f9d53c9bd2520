"""The transaction of an append, for any count.

Its actions are, in this order: the counter, the idempotency key if there is one, the caller's conditions, the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from messagelog.dynamodb import keys

HEAD = 0  # the counter's place among the actions
KEY = 1  # the idempotency key's place, if there is one

_KEY_SECONDS = 49 * 60 * 60  # one day is promised, even if the clocks of two machines differ by a day


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """An idempotency key to store.

    Attributes:
        entry: Its sort key.
        digest: The digest of the content that it stands for.
        now: The time of the append, in seconds since 1970.
    """

    entry: str
    digest: str
    now: int


@dataclass(frozen=True, slots=True)
class StoredKey:
    """An idempotency key as an earlier append stored it. DynamoDB deletes an expired one only days later.

    Attributes:
        seq: The seq that the earlier append returned.
        digest: The digest of its content.
        expires_at: When it expires, in seconds since 1970.
    """

    seq: int
    digest: str
    expires_at: int

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> StoredKey:
        """Reads an item as a key."""
        return cls(int(item["seq"]["N"]), item["digest"]["S"], int(item["expires_at"]["N"]))


@dataclass(frozen=True, slots=True)
class Plan:
    """The writes of one append. They do not depend on the count of the log.

    Attributes:
        table: The table's name.
        conversation: The partition key.
        length: The number of messages.
        rows: The items of the rows, oldest first, without their keys. A segment has one row for all messages. The first
            row carries the `nonce`.
        nonce: Random bytes by which this append recognises its own row.
        key: The idempotency key, if there is one.
        conditions: The caller's actions.
    """

    table: str
    conversation: str
    length: int
    rows: Sequence[Mapping[str, Any]]
    nonce: bytes
    key: IdempotencyKey | None
    conditions: Sequence[Mapping[str, Any]]

    @property
    def first_condition(self) -> int:
        """The index of the caller's first condition among the actions."""
        return KEY if self.key is None else KEY + 1

    @property
    def deciding(self) -> int:
        """The number of leading actions whose conditions may fail in normal operation."""
        return self.first_condition + len(self.conditions)

    def first_entry(self, count: int) -> str:
        """The sort key of the first row, if the log holds `count` messages before it."""
        return keys.message_entry(count + self.length - len(self.rows) + 1)

    def transaction(self, count: int) -> dict[str, Any]:
        """The request that moves the counter from `count` and puts the rows."""
        new_count = count + self.length
        actions = [{"Update": self._advance(count, new_count)}]
        if self.key is not None:
            actions.append({"Put": self._put_key(self.key, new_count)})
        actions += [dict(condition) for condition in self.conditions]
        for seq, row in enumerate(self.rows, new_count - len(self.rows) + 1):
            item = {**row, **keys.key(self.conversation, keys.message_entry(seq))}
            if "batch" in row:
                item["batch"] = {"S": f"{count + 1}-{new_count}"}
            actions.append({"Put": self._put(item)})
        return {"TransactItems": actions, "ClientRequestToken": str(uuid4())}

    def _advance(self, count: int, new_count: int) -> dict[str, Any]:
        values = {":new": {"N": str(new_count)}}
        if count:
            values[":expected"] = {"N": str(count)}
        return {
            "TableName": self.table,
            "Key": keys.key(self.conversation, keys.HEAD),
            "UpdateExpression": "SET #count = :new",
            "ConditionExpression": "#count = :expected" if count else "attribute_not_exists(#count)",
            "ExpressionAttributeNames": {"#count": "count"},
            "ExpressionAttributeValues": values,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def _put(self, item: dict[str, Any]) -> dict[str, Any]:
        return {
            "TableName": self.table,
            "Item": item,
            "ConditionExpression": "attribute_not_exists(#entry)",
            "ExpressionAttributeNames": {"#entry": "entry"},
        }

    def _put_key(self, key: IdempotencyKey, seq: int) -> dict[str, Any]:
        item = {
            **keys.key(self.conversation, key.entry),
            "seq": {"N": str(seq)},
            "digest": {"S": key.digest},
            "expires_at": {"N": str(key.now + _KEY_SECONDS)},
        }
        return {
            "TableName": self.table,
            "Item": item,
            "ConditionExpression": "attribute_not_exists(#entry) OR #expires_at < :now",
            "ExpressionAttributeNames": {"#entry": "entry", "#expires_at": "expires_at"},
            "ExpressionAttributeValues": {":now": {"N": str(key.now)}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
