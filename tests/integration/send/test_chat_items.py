"""A transaction of a chat's items tells the truth about its outcome, as an append does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from messagelog import StorageUnavailableError, UnknownOutcomeError
from messagelog.chat.states.items import ABSENT, ChatItems
from messagelog.chat.states.rules import Outcome
from messagelog.dynamodb.table import ConversationTable

from tests.support.faulty import Faulty, refused
from tests.support.resending import TimedOut, client_of
from tests.support.tables import Table

WRITE = "TransactWriteItems"


def nobody_knows(*_: object) -> Outcome:
    return Outcome.OPEN


def items_of(table: Table, deadline: float | None = None) -> ChatItems:
    retry = replace(table.retry, deadline=deadline)
    return ChatItems(ConversationTable(table.faulty.client, table.name, "c1", retry))


def test_an_earlier_try_of_the_client_is_not_denied(on_ministack: Table) -> None:
    resending = replace(on_ministack, faulty=Faulty(client_of({"total_max_attempts": 2})))
    items = items_of(resending)
    resending.faulty.script(WRITE, [TimedOut(), refused("AccessDeniedException")])
    with pytest.raises(UnknownOutcomeError):
        items.commit(items.put(items.table.key("x"), ABSENT), tell=nobody_knows)
    assert items.get("x")


def test_nothing_is_begun_after_the_deadline(on_moto: Table) -> None:
    items = items_of(on_moto, deadline=on_moto.clock.now)
    with pytest.raises(StorageUnavailableError, match="no time was left"):
        items.commit(items.put(items.table.key("x"), ABSENT), tell=nobody_knows)
    with pytest.raises(StorageUnavailableError, match="no time was left"):
        items.table.delete("x")
    assert on_moto.faulty.requests == []
