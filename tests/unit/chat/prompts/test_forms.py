"""The JSON form of prompt trees: what is read from any form, and which forms are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import CodecError
from messagelog.chat import Prompt, PromptContainer

from tests.support import strategies

prompts = st.builds(lambda title, content: {"title": title, "content": content}, strategies.texts, strategies.texts)


def with_ids(children: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": id, **form} for id, form in children.items()]


def containers(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    children = st.dictionaries(strategies.texts, inner, max_size=3).map(with_ids)
    return st.builds(lambda title, children: {"title": title, "children": children}, strategies.texts, children)


forms = containers(st.recursive(prompts, lambda inner: containers(inner) | prompts, max_leaves=8))


@given(forms)
def test_each_line_of_each_prompt_is_in_the_text(form: dict[str, Any]) -> None:
    text = PromptContainer.from_json(form).compose()
    stripped = [line.lstrip(" ") for line in text.split("\n")]

    def contents(form: dict[str, Any]) -> list[str]:
        if "content" in form:
            return [form["content"]]
        return [content for child in form["children"] for content in contents(child)]

    kept = [content for content in contents(form) if content.strip()]
    lines = [line.lstrip(" ") for content in kept for line in content.split("\n")]
    remaining = iter(stripped)
    assert all(line in remaining for line in lines)
    assert bool(text) == PromptContainer.from_json(form).has_content() == bool(kept)


@given(forms)
def test_the_text_is_as_large_as_measured(form: dict[str, Any]) -> None:
    root = PromptContainer.from_json(form)
    text, (size, lines) = root.compose(), root.measure()
    assert lines == (text.count("\n") + 1 if text else 0)
    exact = len(text.encode()) + bool(text)
    assert size >= exact if "" in text.split("\n") else size == exact


@given(forms)
def test_the_json_form_keeps_ids_titles_contents_and_order(form: dict[str, Any]) -> None:
    read = PromptContainer.from_json(json.loads(json.dumps(form)))
    assert json.dumps(read.to_json()) == json.dumps(form)
    assert PromptContainer.from_json(read.to_json()).compose() == read.compose()


@given(forms, forms)
def test_become_takes_over_all_of_another_tree(one: dict[str, Any], other: dict[str, Any]) -> None:
    root = PromptContainer.from_json(one)
    theirs = PromptContainer.from_json(other)
    root.become(theirs)
    assert json.dumps(root.to_json()) == json.dumps(other)
    root.clear()
    assert json.dumps(theirs.to_json()) == json.dumps(other)


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ([], "put"),
        ({"titel": ""}, "put.titel"),
        ({"title": None}, "put.title"),
        ({"children": {}}, "put.children"),
        ({"children": ["text"]}, "put.children[0]"),
        ({"children": [{"title": "no id", "content": ""}]}, "put.children[0].id"),
        ({"children": [{"id": "a", "content": "x", "children": []}]}, "put.children[0].content"),
        ({"children": [{"id": "a", "content": 1}]}, "put.children[0].content"),
        (
            {"children": [{"id": "a", "children": [{"id": "b", "content": "\ud800"}]}]},
            "put.children[0].children[0].content",
        ),
        ({"children": [{"id": "a"}, {"id": "a"}]}, "put.children[1].id"),
        ({"children": [{"id": "general", "content": "a prompt"}]}, "put.children[0].content"),
    ],
)
def test_a_form_that_is_not_a_tree_is_refused_with_its_path(form: Any, path: str) -> None:
    with pytest.raises(CodecError) as caught:
        PromptContainer.from_json(form, "put", standard=("general",))
    assert caught.value.path == path


def test_a_tree_that_is_nested_too_deep_is_refused() -> None:
    form: dict[str, Any] = {"id": "x", "content": "deep"}
    for _ in range(5000):
        form = {"id": "x", "children": [form]}
    with pytest.raises(CodecError, match="nested"):
        PromptContainer.from_json({"children": [form]})


def test_a_prompt_is_read_from_its_form() -> None:
    prompt = Prompt("Persona", "You are a pirate.")
    assert Prompt.from_json(prompt.to_json()).to_json() == prompt.to_json()
    for form, path in (({"content": 1}, "put.content"), ({"title": None}, "put.title"), ({"id": "a"}, "put.id")):
        with pytest.raises(CodecError) as caught:
            Prompt.from_json(form, "put")
        assert caught.value.path == path


def test_a_tree_shares_nothing_with_the_form_it_was_read_from() -> None:
    form: dict[str, Any] = {"children": [{"id": "a", "title": "", "content": "text"}]}
    read = PromptContainer.from_json(form)
    form["children"][0]["content"] = "LATER"
    read.to_json()["children"].clear()
    assert read.compose() == "text"
