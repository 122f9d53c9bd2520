"""Several changes of the prompt tree as one write: editing, update and put."""

from __future__ import annotations

import pytest
from messagelog import PromptChangedError
from messagelog.chat import Prompt, PromptContainer
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.prompts.store import PromptStore

from tests.support.prompts import CountingState


def test_changes_inside_editing_are_one_write() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    with prompt.editing() as root, prompt.editing():
        root.child("general").prompt("a").set_content("1")
        prompt.read().child("general").prompt("b").set_content("2")
        root.add(Prompt("c", "3"))
        assert state.writes == 0
    assert state.writes == 1
    assert PromptStore(state).read().compose() == root.compose()


def test_a_read_inside_editing_keeps_the_edit() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)

    def edit() -> None:
        with one.editing() as root:
            root.add(Prompt("mine", "mine"))
            other.read().add(Prompt("theirs", "theirs"))
            assert one.read().compose() == "mine\n    mine"

    with pytest.raises(PromptChangedError):
        edit()
    assert one.read().compose() == "theirs\n    theirs"


def test_editing_that_raises_changes_nothing() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    prompt.read().add(Prompt("a", "1"))
    root = prompt.read()

    def edit() -> None:
        with prompt.editing():
            root.clear()
            root.add(Prompt("b", "2"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        edit()
    assert (state.writes, root.compose(), PromptStore(state).read().compose()) == (1, "a\n    1", "a\n    1")
    root.prompt("a").set_content("3")
    assert PromptStore(state).read().compose() == "a\n    3"


def test_taking_back_restores_the_same_objects() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    root = prompt.read()
    box = root.child("box")
    persona, note = box.prompt("persona"), Prompt("note", "n")
    persona.set_content("1")

    def edit() -> None:
        with prompt.editing():
            box.clear()
            box.child("persona")
            root.clear()
            root.add(persona)
            root.add(note)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        edit()
    assert (root.child("box"), root.child("box").prompt("persona")) == (box, persona)
    persona.set_content("2")
    root.add(note)
    assert PromptStore(state).read().compose() == root.compose() == "box\n    persona\n        2\nnote\n    n"


def test_an_update_is_repeated_after_another_write() -> None:
    state = CountingState()
    one, other = PromptStore(state), PromptStore(state)

    def interfere() -> None:
        state.before_write = lambda: None
        other.read().child("general").prompt("theirs").set_content("theirs")

    state.before_write = interfere
    one.update(lambda root: root.child("general").prompt("mine").set_content("mine"))
    assert "mine" in other.read().compose()
    assert "theirs" in one.read().compose()


def test_an_update_that_never_succeeds_gives_up() -> None:
    state = CountingState()
    prompt = PromptStore(state)

    def interfere() -> None:
        MemoryChatState.put_system(state, "{}", version=state.system().version)

    state.before_write = interfere
    with pytest.raises(PromptChangedError):
        prompt.update(lambda root: root.add(Prompt("mine", "mine")))
    assert 1 < state.writes < 10


def test_put_replaces_the_tree_under_its_version() -> None:
    state = CountingState()
    prompt = PromptStore(state)
    prompt.read().add(Prompt("old", "old"))
    new = PromptContainer()
    new.add(Prompt("new", "new"))
    with pytest.raises(PromptChangedError) as caught:
        prompt.put(new, version=0)
    assert caught.value.version == 1
    assert prompt.put(new, version=1).compose() == "new\n    new"
    assert prompt.version == 2
    assert prompt.put(PromptContainer()).compose() == ""
    assert prompt.version == state.system().version == 3


def test_put_leaves_the_given_tree_as_it_is() -> None:
    state, other_state = CountingState(), CountingState()
    one, other = PromptStore(state), PromptStore(other_state)
    other.read().child("general").prompt("persona").set_content("You are a pirate.")
    one.put(other.read()).child("general").prompt("persona").set_content("You are a parrot.")
    other.read().child("general").prompt("rules").set_content("Be brief.")
    assert PromptStore(state).read().compose() == "general\n    persona\n        You are a parrot."
    assert "pirate" in PromptStore(other_state).read().compose()


def test_put_of_a_prompt_with_a_standard_id_is_refused() -> None:
    state, wrong = CountingState(), PromptContainer()
    prompt = PromptStore(state)
    prompt.read().add(Prompt("old", "old"))
    wrong.add(Prompt("tutorials", "text"))
    with pytest.raises(ValueError, match="other kind"):
        prompt.put(wrong)
    assert PromptStore(state).read().compose() == prompt.read().compose() == "old\n    old"
