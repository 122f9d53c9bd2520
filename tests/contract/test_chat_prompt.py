"""The prompt tree of a chat, on every chat state."""

from __future__ import annotations

import pytest
from messagelog import PromptChangedError
from messagelog.chat import Prompt
from messagelog.chat.states.state import System, Window

from tests.support.chat_states import Open, incompressible


def test_clear_empties_the_tree_for_every_process(open_chat: Open) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    one.system().child("general").prompt("persona").set_content("You are a pirate.")
    persona = other.system().child("general").prompt("persona")
    one.clear()
    with pytest.raises(PromptChangedError):
        persona.set_content("You are a cook.")
    assert other.get_system() is None
    assert (one.prompt_store.version, other.prompt_store.version) == (2, 2)


def test_the_later_writer_of_the_tree_is_told(open_chat: Open) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    one.system().add(Prompt("a", "1"))
    mine, theirs = one.system().prompt("a"), other.system().prompt("a")
    mine.set_content("2")
    with pytest.raises(PromptChangedError) as caught:
        theirs.set_content("3")
    assert caught.value.version == 2
    assert other.system().compose() == one.system().compose() == "a\n    2"
    theirs.set_content("3")
    assert one.system().compose() == "a\n    3"


def test_a_tree_is_put_only_over_its_version(open_chat: Open) -> None:
    state = open_chat("c1").state
    assert state.put_system("one", version=0) == state.system() == System("one", 1)
    assert state.move(Window()) == 0
    for wrong in (0, 2):
        with pytest.raises(PromptChangedError) as caught:
            state.put_system("other", version=wrong)
        assert caught.value.version == 1
    assert state.move(Window(), system=System("cleared")) == 2
    assert state.system() == System("cleared", 2)


def test_a_tree_over_400_kb_is_stored_whole(open_chat: Open) -> None:
    one, other = open_chat("c1"), open_chat("c1")
    for length in (3_700_000, 10, 900_000):  # more than ten parts, in their order, then others
        text = incompressible(length, length)
        one.system().child("general").prompt("long").set_content(text)
        assert other.system().child("general").prompt("long").content == text
    one.clear()
    assert other.get_system() is None
