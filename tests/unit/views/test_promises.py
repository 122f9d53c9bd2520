"""The promises of every view, tested on thousands of generated logs, good and broken.

1. Accepted: the provider takes the view, followed by the results of the calls open at its end, or else by a user turn.
2. Nothing is lost or doubled. The same log gives the same view. A longer log changes only the last turn and the
   exchanges that were still unanswered.
"""

from __future__ import annotations

import copy
import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messagelog import StoredMessage

from tests.providers.logs import broken_logs, crowded_logs, interrupted_logs, valid_logs
from tests.support.providers import PROVIDERS, VIEWS, Provider, marks_in

any_log = st.one_of(broken_logs(), interrupted_logs(), valid_logs(), crowded_logs())
many = settings(max_examples=400, deadline=None)


every_provider = pytest.mark.parametrize("provider", PROVIDERS)
every_view = pytest.mark.parametrize("view", VIEWS)


@every_provider
@given(log=any_log)
@many
def test_the_provider_accepts_the_view_and_the_next_turn(provider: Provider, log: list[StoredMessage]) -> None:
    view = provider.show(log)
    assert provider.rules.faults(provider.rules.continued(view)) == []
    if view:
        assert provider.rules.faults(view, open_end=True) == []


@every_provider
@given(log=any_log)
@many
def test_ids_are_unique_in_the_whole_view(provider: Provider, log: list[StoredMessage]) -> None:
    ids = [call_id for message in provider.show(log) for call_id in _call_ids(message)]
    assert len(set(ids)) == len(ids)


@every_provider
@given(log=any_log)
@many
def test_nothing_is_lost_or_doubled(provider: Provider, log: list[StoredMessage]) -> None:
    text = json.dumps(provider.show(log), ensure_ascii=False)
    dropped = {"reasoning", "system"} if provider.drops_system else {"reasoning"}
    for message in log:
        expected = 0 if message.role in dropped else 1
        for mark in marks_in(message.content):
            assert text.count(mark) == expected
        for call in message.tool_calls:
            for mark in marks_in(json.dumps(call.args, ensure_ascii=False)):
                assert text.count(mark) == 1


@every_provider
@given(log=any_log)
@many
def test_only_results_leave_the_order_of_the_log(provider: Provider, log: list[StoredMessage]) -> None:
    text = json.dumps(provider.show(log), ensure_ascii=False)
    marks = [mark for message in log if message.role != "tool" for mark in marks_in(message.content)]
    places = [text.index(mark) for mark in marks if mark in text]
    assert places == sorted(places)


@every_view
@given(log=any_log)
@settings(max_examples=150, deadline=None)
def test_the_same_log_gives_the_same_view_and_is_unchanged(view: ModuleType, log: list[StoredMessage]) -> None:
    before = copy.deepcopy(log)
    first, second = view.turns(log), view.turns(iter(log))
    assert first == second
    shown = getattr(view, f"to_{view.__name__.rpartition('.')[2]}")
    _spoil(shown(log))
    assert log == before
    assert second == view.turns(log)


@every_provider
@given(log=any_log, more=any_log)
@many
def test_a_longer_log_changes_only_the_end_and_open_exchanges(
    provider: Provider, log: list[StoredMessage], more: list[StoredMessage]
) -> None:
    longer = log + [StoredMessage.of(message, seq=len(log) + message.seq, at=message.at) for message in more]
    settled = provider.view.turns(log)
    grown = provider.show(longer)
    last_step = max((turn.first for turn in settled), default=0)
    for index, turn in enumerate(settled[:-1]):
        if turn.first < last_step:
            assert _settled_form(grown[index], turn.body) == turn.body


def _settled_form(grown: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Returns the turn with each result as it was before a later result answered the call or joined the answer."""
    if grown["role"] == "tool":
        return {**grown, "content": _settled_text(grown["content"], before["content"])}
    if isinstance(grown["content"], str) or len(grown["content"]) != len(before["content"]):
        return grown
    blocks = []
    for now, then in zip(grown["content"], before["content"], strict=True):
        if "tool_use_id" in now and now["tool_use_id"] == then.get("tool_use_id"):
            same = _settled_text(now.get("content", ""), then.get("content", "")) == then.get("content", "")
            now = then if same else now
        if "toolResult" in now and now["toolResult"]["toolUseId"] == then.get("toolResult", {}).get("toolUseId"):
            text, was = (block["toolResult"]["content"][0]["text"] for block in (now, then))
            now = then if _settled_text(text, was) == was else now
        blocks.append(now)
    return {**grown, "content": blocks}


def _settled_text(now: str, then: str) -> str:
    """Returns the result as it was, if it said that there was none, if it was blank, or if more text joined it."""
    was_open = then.startswith("No result") or not then.strip() or then == "(no output)"
    return then if was_open or now.startswith(then + "\n") else now


def _call_ids(message: dict[str, Any]) -> list[str]:
    found = [call["id"] for call in message.get("tool_calls", ())]
    for block in message["content"] if isinstance(message["content"], list) else ():
        found += [block["id"]] if block.get("type") == "tool_use" else []
        found += [block["toolUse"]["toolUseId"]] if "toolUse" in block else []
    return found


def _spoil(value: Any) -> None:
    """Empties every list and dict in the value."""
    for item in list(value.values() if isinstance(value, dict) else value):
        if isinstance(item, dict | list):
            _spoil(item)
    value.clear()
