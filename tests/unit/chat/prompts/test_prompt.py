"""The components of a prompt tree: their ids and places, and the changes that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from messagelog import CodecError
from messagelog.chat import Prompt, PromptContainer

from tests.support.prompts import AS_THE_CONTRACT_SAYS, tree


def test_get_or_create_gives_the_same_component_again() -> None:
    root = PromptContainer()
    general = root.child("general")
    persona = general.prompt("persona")
    assert root.child("general") is general
    assert general.prompt("persona") is persona
    assert (general.title, persona.title) == ("general", "persona")


def test_an_id_of_the_other_kind_is_an_error_and_changes_nothing() -> None:
    root = tree()
    with pytest.raises(ValueError, match=r"use child\(id\)"):
        root.prompt("general")
    with pytest.raises(ValueError, match=r"use prompt\(id\)"):
        root.child("general").child("persona")
    assert root.compose() == AS_THE_CONTRACT_SAYS


def test_replace_puts_the_other_kind_in_the_same_place() -> None:
    root = tree()
    prompt, persona = root.child("general").prompt("persona"), root.prompt("general", replace=True)
    persona.set_content("You are a parrot.")
    assert root.prompt("general", replace=True) is root.prompt("general") is persona
    assert root.compose().startswith("general\n    You are a parrot.\ntutorials\n")
    root.child("general", replace=True).prompt("persona").set_content("You are a cook.")
    assert root.compose().startswith("general\n    persona\n        You are a cook.\ntutorials\n")
    for gone in (prompt, persona):
        with pytest.raises(ValueError, match="taken out"):
            gone.set_content("lost")


def test_an_added_component_has_its_title_as_id() -> None:
    root = PromptContainer()
    persona = Prompt("Persona", "You are a pirate.")
    root.add(persona)
    assert root.prompt("Persona") is persona
    root.add(Prompt("Persona", "You sing."))
    root.add(Prompt("Persona", "You dance."))
    assert [child["id"] for child in root.to_json()["children"]] == ["Persona", "Persona 2", "Persona 3"]
    assert [child["title"] for child in root.to_json()["children"]] == ["Persona"] * 3


def test_a_component_has_one_place() -> None:
    root = tree()
    general = root.child("general")
    for place in (root, general, PromptContainer()):
        with pytest.raises(ValueError, match="in a tree already"):
            place.add(general)
    with pytest.raises(ValueError, match="in a tree already"):
        general.add(root)
    assert root.compose() == AS_THE_CONTRACT_SAYS
    root.clear()
    PromptContainer().add(general)


def test_the_watched_root_of_another_tree_is_not_added() -> None:
    root = PromptContainer()
    root.watch(Changes(root).made)
    with pytest.raises(ValueError, match="in a tree already"):
        PromptContainer().add(root)


def test_only_components_can_be_added() -> None:
    with pytest.raises(TypeError, match="Prompt or a PromptContainer, not text"):
        PromptContainer().add("text")  # type: ignore[arg-type]


def test_clear_removes_everything_and_resets_the_title() -> None:
    root = tree()
    general = root.child("general")
    general.set_title("General rules")
    general.clear()
    assert (general.title, general.has_content()) == ("general", False)
    assert "general" not in root.compose()
    root.set_title("All")
    root.clear()
    assert root.to_json() == {"title": "", "children": []}
    prompt = Prompt("Title", "text")
    prompt.clear()
    assert (prompt.title, prompt.content, prompt.has_content()) == ("Title", "", False)


def test_standard_containers_are_always_there() -> None:
    root = PromptContainer(standard=("general", "tutorials"))
    general = root.child("general")
    root.prompt("other").set_content("x")
    root.clear()
    assert root.child("general") is general
    assert [child["id"] for child in root.to_json()["children"]] == ["general", "tutorials"]
    inner = {"id": "tutorials", "title": "How to", "children": [{"id": "general", "content": "a prompt in there"}]}
    form = {"children": [{"id": "mine", "content": "x"}, inner]}
    read = PromptContainer.from_json(form, standard=("general", "tutorials")).to_json()
    assert [child["title"] for child in read["children"]] == ["mine", "How to", "general"]


class Changes:
    """Notes the text of a tree before and after each change."""

    def __init__(self, root: PromptContainer) -> None:
        self.root = root
        self.seen: list[tuple[str, str]] = []

    @contextmanager
    def made(self) -> Iterator[None]:
        before = self.root.compose()
        yield
        self.seen.append((before, self.root.compose()))


def test_a_change_anywhere_in_the_tree_is_watched() -> None:
    root = tree()
    changes = Changes(root)
    root.watch(changes.made)
    persona = root.child("general").prompt("persona")
    made = root.child("general").child("made").prompt("made")
    assert changes.seen == []
    persona.set_content("You are a parrot.")
    persona.set_title("Parrot")
    made.clear()
    root.child("tutorials").clear()
    root.child("tutorials").add(Prompt("a", "b"))
    root.child("tutorials").prompt("a", replace=True)
    root.child("tutorials").child("a", replace=True)
    root.clear()
    assert len(changes.seen) == 7
    parrot = AS_THE_CONTRACT_SAYS.replace("pirate.\n        Speak so.", "parrot.")
    assert changes.seen[0] == (AS_THE_CONTRACT_SAYS, parrot)


def test_a_change_of_a_removed_component_is_refused() -> None:
    root = tree()
    general, package = root.child("general"), root.child("tutorials").child("Tool Package WeatherPackage")
    persona, tutorial = general.prompt("persona"), package.prompt("Tutorial")
    root.child("tutorials").clear()
    general.clear()
    changes = [
        lambda: persona.set_content("lost"),
        lambda: persona.set_title("lost"),
        persona.clear,
        package.clear,
        lambda: package.add(Prompt("lost", "lost")),
        lambda: package.set_title("lost"),
        lambda: tutorial.set_content("lost"),
    ]
    for change in changes:
        with pytest.raises(ValueError, match=r"taken out of its tree.*add this one to a container"):
            change()
    assert (persona.content, tutorial.content, root.compose()) == (
        "You are a pirate.\nSpeak so.",
        "Use greet first.",
        "",
    )
    general.add(persona)
    persona.set_content("You are a parrot.")
    assert root.compose() == "general\n    persona\n        You are a parrot."


@pytest.mark.parametrize("text", [None, 1, b"bytes", ["text"], "\ud800"])
def test_a_value_that_is_not_text_is_refused(text: Any) -> None:
    root = tree()
    persona = root.child("general").prompt("persona")
    changes = [
        lambda: persona.set_content(text),
        lambda: persona.set_title(text),
        lambda: root.set_title(text),
        lambda: root.prompt(text),
        lambda: Prompt(text, "content"),
        lambda: Prompt("title", text),
        lambda: PromptContainer(text),
    ]
    for change in changes:
        with pytest.raises(CodecError):
            change()
    assert root.compose() == AS_THE_CONTRACT_SAYS
