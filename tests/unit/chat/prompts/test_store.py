"""The prompt tree of a chat in its state: written with each change, read when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from messagelog import PromptChangedError
from messagelog.chat import Prompt, PromptContainer
from messagelog.chat.prompts.store import PromptStore

from tests.support.prompts import CountingState


def test_a_change_is_stored_at_once_and_seen_by_another_process() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)
    persona = one.read().child("general").prompt("persona")
    assert (state.writes, other.read().has_content()) == (0, False)
    persona.set_content("You are a pirate.")
    assert state.writes == 1
    assert other.read().compose() == one.read().compose() == "general\n    persona\n        You are a pirate."
    assert other.read().to_json() == one.read().to_json()


def test_a_change_to_the_same_text_writes_nothing() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    for _ in range(3):
        prompt.read().child("general").prompt("persona").set_content("You are a pirate.")
    assert (state.writes, prompt.version) == (1, 1)


def test_the_components_of_a_tree_stay_the_same_objects() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)
    root = one.read()
    persona = root.child("general").prompt("persona")
    persona.set_content("You are a pirate.")
    other.read().child("general").prompt("persona").set_content("You are a parrot.")
    other.read().child("general").prompt("rules").set_content("Be brief.")
    assert one.read() is root
    assert one.read().child("general").prompt("persona") is persona
    assert persona.content == "You are a parrot."
    persona.set_content("You are a cook.")
    assert "cook" in other.read().compose()
    assert "Be brief." in other.read().compose()


def test_a_prompt_not_filled_yet_outlives_another_change() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)
    made = [one.read().child("general").prompt("persona"), one.read().child("my own").prompt("persona")]
    other.read().child("general").prompt("rules").set_content("Be brief.")
    one.read()
    for persona in made:
        persona.set_content("You are a pirate.")
    assert other.read().compose().count("You are a pirate.") == 2
    assert "Be brief." in other.read().compose()


def test_a_component_that_another_replaced_is_taken_out() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)
    replaced = one.read().prompt("rules")
    replaced.set_content("Be brief.")
    theirs = PromptContainer()
    theirs.child("rules").prompt("first").set_content("Be kind.")
    other.put(theirs)
    assert one.read().child("rules").prompt("first").content == "Be kind."
    with pytest.raises(ValueError, match="taken out"):
        replaced.set_content("Be loud.")
    assert (state.writes, one.read().compose()) == (2, "rules\n    first\n        Be kind.")
    one.read().add(replaced)


def test_the_change_of_the_later_writer_is_taken_back() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)
    persona = one.read().child("general").prompt("persona")
    persona.set_content("before")
    other.read().child("general").prompt("persona").set_content("theirs")
    for _ in range(2):
        with pytest.raises(PromptChangedError) as caught:
            persona.set_content("mine")
        assert caught.value.version == 2
        assert persona.content == "before"
    assert state.system().version == 2
    assert one.read().child("general").prompt("persona").content == "theirs"
    persona.set_content("mine")
    assert "mine" in other.read().compose()


def test_a_subtree_that_was_refused_can_be_added_later() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)
    root, package = one.read(), PromptContainer("package")
    tutorial = package.child("rules").prompt("tutorial")
    tutorial.set_content("one")
    other.read().prompt("theirs").set_content("text")
    with pytest.raises(PromptChangedError):
        root.add(package)
    one.read().add(package)
    tutorial.set_content("two")
    assert other.read().child("package").child("rules").prompt("tutorial").content == "two"


def test_a_change_that_failed_can_be_made_again() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    root = prompt.read()
    persona, made, added = root.child("general").prompt("persona"), root.prompt("made"), Prompt("added", "text")
    persona.set_content("before")
    before = root.to_json()
    changes: list[Callable[[], None]] = [
        lambda: persona.set_content("after"),
        lambda: persona.set_title("After"),
        lambda: made.set_content("after"),
        lambda: root.set_title("After"),
        lambda: root.add(added),
        lambda: root.child("general").clear(),
        root.clear,
    ]

    def fail() -> None:
        raise RuntimeError("no storage")

    for change in changes[:-2]:
        state.before_write = fail
        with pytest.raises(RuntimeError):
            change()
        assert root.to_json() == before
        state.before_write = lambda: None
        change()
        before = root.to_json()
        assert PromptStore(state).read().to_json() == before
    state.before_write = fail
    for change in changes[-2:]:
        with pytest.raises(RuntimeError):
            change()
        assert root.to_json() == before


def test_a_new_prompt_can_be_filled_after_another_write() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)
    persona = one.read().child("general").prompt("persona")
    other.read().child("general").prompt("rules").set_content("Be brief.")
    with pytest.raises(PromptChangedError):
        persona.set_content("You are a pirate.")
    one.read()
    persona.set_content("You are a pirate.")
    assert "You are a pirate." in other.read().compose()
