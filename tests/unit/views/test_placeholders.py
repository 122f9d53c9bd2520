"""A file that a view does not show leaves words in its place, so that no view drops anything in silence."""

from __future__ import annotations

import json

import pytest
from messagelog import AgentMessage, File, ToolCall
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai
from messagelog.views.placeholders import text_of

from tests.providers.logs import stored

CAT = File("image/png", b"1234", name="cat.png", offset=3)
REST = "not shown, since this view shows no files]"


def test_a_placeholder_stands_where_the_file_stands() -> None:
    assert text_of(AgentMessage("user", "A: ?", files=(CAT,))) == f'A: [image/png "cat.png", 4 bytes: {REST}?'


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (File("image/png", b"1"), f"[image/png, 1 bytes: {REST}"),
        (File("a/b", url="https://example.com/a.pdf"), f"[a/b, at https://example.com/a.pdf: {REST}"),
        (File("a/b", url="https://example.com/a?signature=x"), f"[a/b: {REST}"),
    ],
)
def test_a_placeholder_names_type_size_and_open_links(file: File, words: str) -> None:
    assert text_of(AgentMessage("user", "x", files=(file,))) == words + "x"


def test_files_keep_their_order() -> None:
    files = (CAT, File("a/b", b"1"), File("c/d", b"1", offset=3))
    text = text_of(AgentMessage("user", "A: ?", files=files))
    assert [text.index(kind) for kind in ("a/b", "A: ", "image/png", "c/d", "?")] == sorted(
        text.index(kind) for kind in ("a/b", "A: ", "image/png", "c/d", "?")
    )


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("view", [to_openai, to_anthropic, to_bedrock])
def test_every_view_tells_of_files_of_users_and_results(view: object, faithful: bool) -> None:
    shot = File("image/png", b"1234", name="shot.png")
    log = [
        AgentMessage("user", "A: ?", files=(CAT,)),
        AgentMessage("assistant", "", tool_calls=(ToolCall("c", "f", {}),)),
        AgentMessage("tool", "", tool_call_id="c", files=(shot,)),
    ]
    shown = json.dumps(view(stored(log), faithful=faithful))  # type: ignore[operator]
    assert "cat.png" in shown
    assert "shot.png" in shown


def test_langchain_tells_of_files() -> None:
    assert "cat.png" in to_langchain(stored([AgentMessage("user", "A: ?", files=(CAT,))]))[0]["content"]
