"""The text that a prompt tree composes."""

from __future__ import annotations

import pytest
from messagelog.chat import Prompt, PromptContainer

from tests.support.prompts import AS_THE_CONTRACT_SAYS, tree


def test_it_composes_exactly_this() -> None:
    assert tree().compose() == AS_THE_CONTRACT_SAYS


def test_children_stand_in_the_order_of_their_making() -> None:
    root = PromptContainer()
    root.prompt("z").set_content("1")
    root.child("a").prompt("y").set_content("2")
    root.prompt("z").set_content("3")
    assert root.compose() == "z\n    3\na\n    y\n        2"


@pytest.mark.parametrize("none", ["", "  ", "\t\n"])
def test_a_blank_title_has_neither_line_nor_indent(none: str) -> None:
    root = PromptContainer(none)
    inner = root.child("rules")
    inner.set_title(none)
    inner.add(Prompt(none, "Be brief."))
    inner.add(Prompt("More", "Be kind."))
    assert root.compose() == "Be brief.\nMore\n    Be kind."


def test_a_title_of_the_root_is_a_line_like_any_other() -> None:
    root = PromptContainer("All")
    root.add(Prompt("One", "text"))
    assert root.compose() == "All\n    One\n        text"


@pytest.mark.parametrize("nothing", ["", " ", "\n\t "])
def test_a_component_without_content_adds_nothing(nothing: str) -> None:
    root = tree()
    root.child("empty").child("inner").prompt("blank").set_content(nothing)
    root.add(Prompt("also blank", nothing))
    assert root.compose() == AS_THE_CONTRACT_SAYS
    assert not root.child("empty").has_content()
    assert not root.prompt("also blank").has_content()
    assert PromptContainer("Title").compose() == ""
    assert Prompt("Title", nothing).compose() == ""


def test_blank_lines_and_odd_separators_stay_as_they_are() -> None:
    root = PromptContainer()
    root.prompt("p").set_content("a\n\n b\u2028c\x0bd\re")
    assert root.compose() == "p\n    a\n\n     b\u2028c\x0bd\re"


def test_a_tree_can_become_a_part_of_itself() -> None:
    root = tree()
    root.become(root)
    assert root.compose() == AS_THE_CONTRACT_SAYS
    root.become(root.child("general"))
    assert root.compose() == "general\n    persona\n        You are a pirate.\n        Speak so."
