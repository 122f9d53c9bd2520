"""Reads and writes one conversation's items in ChatTable. A transaction is done once, even if a reply is lost.

A transaction is sent until its outcome is known. `Tell` reads the table and says whether this very write was done:

    answer                        written?   next step
    ----------------------------  ---------  ------------------------------------------------------------------
    success                       yes        none
    a condition fails             no         none: RefusedError
    a condition fails, after an   unknown    `tell`: done; never done: RefusedError; else UnknownOutcomeError
    answer that left it open
    conflict, throttled, expired  no         after a pause, the same request
    no answer, a server error     unknown    after a pause, the same request with the same token, or `again`
    refused                       no         none: StorageUnavailableError
    the time is up                as before  if unknown, `tell` once more; else the error of the last try

DynamoDB forgets a token after ten minutes, and a machine may sleep longer than that. Then DynamoDB treats the same
request as a new one, and a condition may fail because the first request was done. So after an unknown try, only a
success is trusted. After any other answer, the table is read. The outcome never depends on a clock.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeAlias
from uuid import uuid4

from messagelog.chat.states.rules import Change, Condition, Outcome, StateItem, Value
from messagelog.dynamodb.damage import intact
from messagelog.dynamodb.faults import Fault, Meaning, unknown_outcome
from messagelog.dynamodb.retry import ONCE, Attempts
from messagelog.dynamodb.table import ConversationTable
from messagelog.errors import NotWrittenError

Item: TypeAlias = Mapping[str, Any]
Action: TypeAlias = dict[str, Any]
Tell: TypeAlias = Callable[[Collection[int], float | None], Outcome]
"""Says whether a write was done. It gets the places of the conditions that failed, none if the time was up, and the
time on the retry's clock until which it may ask."""

STATE = "state"
ABSENT = "attribute_not_exists(#entry)"
PRESENT = "attribute_exists(#entry)"


class RefusedError(Exception):
    """Some conditions did not hold, and nothing was written. `places` are the indexes of their actions."""

    def __init__(self, places: frozenset[int]) -> None:
        super().__init__(places)
        self.places = places


class ChatItems:
    """Reads and writes one conversation's items in ChatTable."""

    def __init__(self, table: ConversationTable) -> None:
        self.table = table

    def now(self) -> float:
        """DynamoDB's time in seconds since 1970. Before the first reply, it is the time of the host."""
        return self.table.clock.now() or time.time()

    def get(self, entry: str, end: float | None = None) -> Item:
        """Returns the item, or an empty one if it does not exist, with one strong read. `ask` explains `end`."""
        return self.table.ask(lambda: self.table.get(entry), end=end) or {}

    def state(self, end: float | None = None) -> StateItem:
        """Returns the state item. This is one strong read."""
        return intact(_state_of, self.get(STATE, end))

    def commit(self, *actions: Action, tell: Tell, again: Sequence[Action] | None = None) -> None:
        """Sends a transaction until its outcome is known.

        Args:
            *actions: The actions of the transaction.
            tell: Reads the table and says whether the transaction was done. It is called after an unclear answer.
            again: The actions to send after such an answer, if they differ. Each try is then a new transaction.

        Raises:
            RefusedError: A condition failed.
            UnknownOutcomeError: The transaction may or may not be done.
            NotWrittenError: The transaction was not done.
        """
        _Commit(self.table, actions, tell, again).run()

    def put(self, item: Item, condition: str, **values: Value) -> Action:
        """Puts an item under a condition. `values` are the values of the `:name` placeholders in the condition."""
        return self._action("Put", {"Item": item}, condition, values)

    def delete(self, entry: str, condition: str) -> Action:
        """Deletes an item under a condition."""
        return self._action("Delete", {"Key": self.table.key(entry)}, condition, {})

    def change(self, change: Change) -> Action:
        """Changes the state item, or only checks the conditions if the change sets nothing."""
        condition, values = _expression(change.conditions)
        parameters: dict[str, Any] = {"Key": self.table.key(STATE)}
        if not change.new:
            return self._action("ConditionCheck", parameters, condition, values)
        update = "SET " + ", ".join(f"#{name} = :new_{name}" for name in change.new)
        values |= {f"new_{name}": value for name, value in change.new.items()}
        if change.raises_fence:
            update += " ADD #fence :one"
            values["one"] = 1
        return self._action("Update", {**parameters, "UpdateExpression": update}, condition, values)

    def _action(self, kind: str, parameters: dict[str, Any], condition: str, values: Mapping[str, Value]) -> Action:
        """Returns the action. Each placeholder `#name` in its expressions is the attribute with that name."""
        expressions = f"{condition} {parameters.get('UpdateExpression', '')}"
        action = {
            "TableName": self.table.name,
            **parameters,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": {name: name[1:] for name in re.findall(r"#\w+", expressions)},
        }
        if values:
            action["ExpressionAttributeValues"] = {f":{name}": attribute(value) for name, value in values.items()}
        return {kind: action}


class _Commit:
    """One transaction that is being sent. Call `run` once."""

    def __init__(
        self, table: ConversationTable, actions: Sequence[Action], tell: Tell, again: Sequence[Action] | None
    ) -> None:
        self._table = table
        self._tell = tell
        self._again = again
        self._deciding = max(len(actions), len(again or ()))
        self._request = _transaction(actions)
        self._end = table.retry.end()
        self._is_unknown = False

    def run(self) -> None:
        try:
            self._table.ask(self._try, learn=self._learn, deciding=self._deciding, end=self._end)
        except NotWrittenError as error:
            if not self._is_unknown:
                raise
            outcome = self._told_at_last()
            if outcome is Outcome.OPEN:
                raise unknown_outcome(error.code) from error
            if outcome is Outcome.NEVER:
                raise

    def _try(self) -> bool:
        self._table.transact(self._request)
        return True

    def _learn(self, fault: Fault, _: Attempts) -> bool | None:
        """Returns True if the write is known to be done, and None if it must be tried again."""
        if fault.leaves_open:
            self._is_unknown = True
            if self._again is not None:
                self._request = _transaction(self._again)
        if fault.meaning is not Meaning.CONDITION:
            return None
        places = frozenset(fault.failed)
        outcome = self._tell(places, self._end) if self._is_unknown else Outcome.NEVER
        if outcome is Outcome.NEVER:
            raise RefusedError(places)
        if outcome is Outcome.OPEN:
            raise unknown_outcome(fault.code)
        return True

    def _told_at_last(self) -> Outcome:
        try:
            return self._tell((), ONCE)
        except NotWrittenError:
            return Outcome.OPEN


def _transaction(actions: Sequence[Action]) -> dict[str, Any]:
    return {"TransactItems": list(actions), "ClientRequestToken": str(uuid4())}


def _expression(conditions: Sequence[Condition]) -> tuple[str, dict[str, Value]]:
    """Returns the conditions as a ConditionExpression, and the values of its placeholders."""
    parts: list[str] = []
    values: dict[str, Value] = {}
    for place, each in enumerate(conditions):
        part = f"#{each.attribute} {each.operator} :if{place}"
        parts.append(f"(attribute_not_exists(#{each.attribute}) OR {part})" if each.holds_without else part)
        values[f"if{place}"] = each.value
    return " AND ".join(parts), values


def number(item: Item, name: str) -> int:
    """Returns the number in this attribute of an item, or 0 if the attribute is missing."""
    return intact(lambda: int(item[name]["N"])) if name in item else 0


def attribute(value: Value) -> dict[str, str]:
    """Returns a number or a text in DynamoDB's form."""
    return {"S": value} if isinstance(value, str) else {"N": str(value)}


def _state_of(item: Item) -> StateItem:
    known = (each for each in fields(StateItem) if each.name in item)
    return StateItem(**{each.name: _value(item[each.name], type(each.default)) for each in known})


def _value(stored: Mapping[str, str], kind: type) -> Any:
    return int(stored["N"]) if kind is int else stored["S"]
