"""The prompt tree of a chat and the state that keeps it: written with each change, read when asked for, two writers."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

import pytest
from messagelog import CodecError, MessageTooLargeError, PromptChangedError
from messagelog.chat import Prompt, PromptContainer
from messagelog.chat.memory import MemoryChatState
from messagelog.chat.prompts.store import PromptStore
from messagelog.chat.states.state import System
from messagelog.reply_limit import ROOM


class State(MemoryChatState):
    """Counts the writes of the tree."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.before_write = lambda: None

    def put_system(self, tree: str, *, version: int) -> System:
        self.before_write()
        self.writes += 1
        return super().put_system(tree, version=version)


def test_a_change_is_stored_at_once_and_seen_by_another_process() -> None:
    state = State()
    one, other = PromptStore(state), PromptStore(state)
    persona = one.read().child("general").prompt("persona")
    assert (state.writes, other.read().has_content()) == (0, False)
    persona.set_content("You are a pirate.")
    assert state.writes == 1
    assert other.read().compose() == one.read().compose() == "general\n    persona\n        You are a pirate."
    assert other.read().to_json() == one.read().to_json()


def test_what_changes_nothing_writes_nothing() -> None:
    state = State()
    prompt = PromptStore(state)
    for _ in range(3):
        prompt.read().child("general").prompt("persona").set_content("You are a pirate.")
    assert (state.writes, prompt.version) == (1, 1)


def test_the_root_and_what_both_trees_have_stay_the_same_objects() -> None:
    state = State()
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


def test_a_prompt_that_is_made_and_not_filled_yet_outlives_the_change_of_another_process() -> None:
    state = State()
    one, other = PromptStore(state), PromptStore(state)
    made = [one.read().child("general").prompt("persona"), one.read().child("my own").prompt("persona")]
    other.read().child("general").prompt("rules").set_content("Be brief.")
    one.read()
    for persona in made:
        persona.set_content("You are a pirate.")
    assert other.read().compose().count("You are a pirate.") == 2
    assert "Be brief." in other.read().compose()


def test_a_component_that_another_process_replaced_is_out_of_the_tree() -> None:
    state = State()
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


def test_the_later_of_two_writers_is_told_and_its_change_taken_back() -> None:
    state = State()
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


def test_a_subtree_that_could_not_be_added_can_be_added_and_changed_later() -> None:
    state = State()
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


def test_a_change_that_could_not_be_written_is_taken_back_and_can_be_made_again() -> None:
    state = State()
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


def test_a_prompt_that_was_new_when_another_process_wrote_can_be_filled_after_all() -> None:
    state = State()
    one, other = PromptStore(state), PromptStore(state)
    persona = one.read().child("general").prompt("persona")
    other.read().child("general").prompt("rules").set_content("Be brief.")
    with pytest.raises(PromptChangedError):
        persona.set_content("You are a pirate.")
    one.read()
    persona.set_content("You are a pirate.")
    assert "You are a pirate." in other.read().compose()


def test_changes_inside_editing_are_one_write() -> None:
    state = State()
    prompt = PromptStore(state)
    with prompt.editing() as root, prompt.editing():
        root.child("general").prompt("a").set_content("1")
        prompt.read().child("general").prompt("b").set_content("2")
        root.add(Prompt("c", "3"))
        assert state.writes == 0
    assert state.writes == 1
    assert PromptStore(state).read().compose() == root.compose()


def test_a_read_inside_editing_takes_nothing_of_the_edit_away() -> None:
    state = State()
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
    state = State()
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


def test_what_is_taken_back_brings_the_same_objects_back() -> None:
    state = State()
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


def test_an_update_is_made_again_when_another_process_got_in_between() -> None:
    state = State()
    one, other = PromptStore(state), PromptStore(state)

    def interfere() -> None:
        state.before_write = lambda: None
        other.read().child("general").prompt("theirs").set_content("theirs")

    state.before_write = interfere
    one.update(lambda root: root.child("general").prompt("mine").set_content("mine"))
    assert "mine" in other.read().compose()
    assert "theirs" in one.read().compose()


def test_an_update_that_never_gets_through_gives_up() -> None:
    state = State()
    prompt = PromptStore(state)

    def interfere() -> None:
        MemoryChatState.put_system(state, "{}", version=state.system().version)

    state.before_write = interfere
    with pytest.raises(PromptChangedError):
        prompt.update(lambda root: root.add(Prompt("mine", "mine")))
    assert 1 < state.writes < 10


def test_put_replaces_the_tree_under_its_version() -> None:
    state = State()
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


def test_put_leaves_the_tree_that_it_takes_over_as_it_is() -> None:
    state, other_state = State(), State()
    one, other = PromptStore(state), PromptStore(other_state)
    other.read().child("general").prompt("persona").set_content("You are a pirate.")
    one.put(other.read()).child("general").prompt("persona").set_content("You are a parrot.")
    other.read().child("general").prompt("rules").set_content("Be brief.")
    assert PromptStore(state).read().compose() == "general\n    persona\n        You are a parrot."
    assert "pirate" in PromptStore(other_state).read().compose()


def test_put_of_a_prompt_in_the_place_of_a_standard_container_changes_nothing() -> None:
    state, wrong = State(), PromptContainer()
    prompt = PromptStore(state)
    prompt.read().add(Prompt("old", "old"))
    wrong.add(Prompt("tutorials", "text"))
    with pytest.raises(ValueError, match="other kind"):
        prompt.put(wrong)
    assert PromptStore(state).read().compose() == prompt.read().compose() == "old\n    old"


def test_a_tree_nested_deeper_than_can_be_read_again_is_not_stored() -> None:
    state = State()
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


def test_a_tree_whose_text_is_larger_than_a_message_may_be_is_not_stored() -> None:
    state = State()
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


def test_a_tree_that_is_larger_than_its_text_is_held_to_the_same_bound() -> None:
    state = State()
    titles = PromptStore(state).read().child("general").prompt("no content")
    with pytest.raises(MessageTooLargeError):
        titles.set_title("x" * ROOM)
    titles.set_title("x" * 1_000)
    assert state.system().version == 1


def test_a_tree_of_megabytes_is_stored() -> None:
    state = State()
    text = "".join(random.Random(1).choices(string.printable, k=1_000_000))
    PromptStore(state).read().child("general").prompt("long").set_content(text)
    assert PromptStore(state).read().child("general").prompt("long").content == text
