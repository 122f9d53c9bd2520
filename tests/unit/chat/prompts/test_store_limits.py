"""The limits of the prompt tree: nothing is stored that could not be read, and a full tree fails no turn."""

from __future__ import annotations

import random
import string

import pytest
from messagelog import CodecError, MessageTooLargeError
from messagelog.chat import Prompt, PromptContainer
from messagelog.chat.prompts import store
from messagelog.chat.prompts.store import PromptStore
from messagelog.chat.states.state import System
from messagelog.reply_limit import ROOM

from tests.support.prompts import CountingState


def test_a_tree_that_nests_too_deep_is_not_stored() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    container = prompt.read()
    for _ in range(120):
        container = container.child("x")
    with pytest.raises(CodecError, match="nested"):
        container.add(Prompt("deep", "text"))
    assert state.system() == System()


def lines_deep_inside(lines: int) -> PromptContainer:
    root = container = PromptContainer()
    for _ in range(90):
        container = container.child("x")
    container.add(Prompt("", "x\n" * lines))
    return root


def test_a_tree_whose_text_is_too_large_is_not_stored() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    with pytest.raises(MessageTooLargeError, match="nest it less"):
        prompt.put(lines_deep_inside(1_000_000))
    assert state.system() == System()
    prompt.put(lines_deep_inside(10_000))
    text = prompt.read().compose()
    assert 3_600_000 < len(text) < ROOM
    with pytest.raises(MessageTooLargeError):
        prompt.read().add(Prompt("more", "x" * 1_200_000))
    assert PromptStore(state).read().compose() == prompt.read().compose() == text


def test_a_tree_whose_json_is_too_large_is_not_stored() -> None:
    state = CountingState()
    titles = PromptStore(state).read().child("general").prompt("no content")
    with pytest.raises(MessageTooLargeError):
        titles.set_title("x" * ROOM)
    titles.set_title("x" * 1_000)
    assert state.system().version == 1


def test_a_tree_of_megabytes_is_stored() -> None:
    state = CountingState()
    text = "".join(random.Random(1).choices(string.printable, k=1_000_000))
    PromptStore(state).read().child("general").prompt("long").set_content(text)
    assert PromptStore(state).read().child("general").prompt("long").content == text


def test_a_change_that_does_not_fit_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    state = CountingState()
    prompt = PromptStore(state)
    prompt.read().add(Prompt("full", "x" * (ROOM - 500)))
    full = prompt.read().compose()
    prompt.update(lambda root: root.child("tutorials").prompt("more").set_content("private words " * 100))
    assert prompt.read().compose() == PromptStore(state).read().compose() == full
    assert (state.writes, "the limit is" in caplog.text, "private" in caplog.text) == (1, True, False)


def test_an_unchanged_full_tree_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the limit is lower than when the tree was stored."""
    state = CountingState()
    prompt = PromptStore(state)
    prompt.read().child("general").prompt("persona").set_content("You are a pirate.")
    monkeypatch.setattr(store, "ROOM", 10)
    for known in (prompt, PromptStore(state)):
        known.update(lambda root: root.child("general").prompt("persona").set_content("You are a pirate."))
        known.read().child("general").set_title("general")
        known.put(PromptContainer.from_json(known.read().to_json()))
    assert state.writes == 1
    with pytest.raises(MessageTooLargeError):
        prompt.read().child("general").set_title("other")
