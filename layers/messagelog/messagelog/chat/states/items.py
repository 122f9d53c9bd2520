"""ChatTable as one conversation sees it: items read, and transactions that are done once though a reply is lost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias
from uuid import uuid4

from messagelog.dynamodb.faults import Fault, Meaning, unknown_outcome
from messagelog.dynamodb.retry import Attempts
from messagelog.dynamodb.table import ConversationTable
from messagelog.errors import NotWrittenError

Item: TypeAlias = Mapping[str, Any]
Action: TypeAlias = dict[str, Any]


class RefusedError(Exception):
    """Conditions that did not hold; `places` are their actions' indexes. Nothing was written."""

    def __init__(self, places: frozenset[int]) -> None:
        super().__init__(places)
        self.places = places


class ChatItems:
    """Reads and writes of one conversation's items in ChatTable."""

    def __init__(self, table: ConversationTable) -> None:
        self.table = table

    def get(self, entry: str) -> Item:
        """The item, empty if there is none."""
        return self.table.ask(lambda: self.table.get(entry)) or {}

    def commit(self, *actions: Action) -> None:
        """One transaction, sent with one token until its outcome is known. Raises RefusedError if a condition fails."""
        request: dict[str, Any] = {"TransactItems": list(actions), "ClientRequestToken": str(uuid4())}
        is_unknown = False

        def learn(fault: Fault, _: Attempts) -> None:
            nonlocal is_unknown
            if fault.meaning is Meaning.CONDITION:
                raise RefusedError(frozenset(fault.failed))
            is_unknown = is_unknown or fault.leaves_open

        try:
            self.table.ask(lambda: self.table.transact(request), learn=learn, deciding=len(actions))
        except NotWrittenError as error:
            if is_unknown:
                raise unknown_outcome(error.code) from error
            raise

    def put(self, item: Item, condition: str, **values: int) -> Action:
        """Puts an item under a condition; `values` are what it calls `:name`."""
        return self._action("Put", {"Item": item}, condition, values)

    def delete(self, entry: str, condition: str) -> Action:
        """Deletes an item under a condition."""
        return self._action("Delete", {"Key": self.table.key(entry)}, condition, {})

    def check(self, entry: str, condition: str, **values: int) -> Action:
        """Only a condition."""
        return self._action("ConditionCheck", {"Key": self.table.key(entry)}, condition, values)

    def update(
        self, entry: str, new: Mapping[str, int | str], condition: str, raised: str | None = None, **values: int
    ) -> Action:
        """Sets the attributes in `new` under a condition, and raises the number `raised` by one."""
        expression = "SET " + ", ".join(f"#{name} = :new_{name}" for name in new)
        given = {**values, **{f"new_{name}": value for name, value in new.items()}}
        if raised is not None:
            expression += f" ADD #{raised} :one"
            given["one"] = 1
        parameters = {"Key": self.table.key(entry), "UpdateExpression": expression}
        return self._action("Update", parameters, condition, given)

    def _action(self, kind: str, parameters: dict[str, Any], condition: str, values: Mapping[str, int | str]) -> Action:
        """The action, with every `#name` in its expressions standing for the attribute of that name."""
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


def number(item: Item, name: str) -> int:
    """The number in an item, 0 if it has none of that name."""
    return int(item[name]["N"]) if name in item else 0


def text(item: Item, name: str) -> str:
    """The text in an item, empty if it has none of that name."""
    return str(item[name]["S"]) if name in item else ""


def attribute(value: int | str) -> dict[str, str]:
    """A number or a text as DynamoDB takes it."""
    return {"S": value} if isinstance(value, str) else {"N": str(value)}
