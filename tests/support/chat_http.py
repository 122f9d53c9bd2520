"""What the tests of the chat over HTTP share."""

from __future__ import annotations

from typing import Any

from tests.support.http_api import HttpApi

PIRATE = {
    "tree": {
        "title": "",
        "children": [
            {
                "id": "general",
                "title": "general",
                "children": [{"id": "persona", "title": "persona", "content": "You are a pirate.\nSpeak so."}],
            },
            {"id": "tutorials", "title": "tutorials", "children": []},
        ],
    },
    "text": "general\n    persona\n        You are a pirate.\n        Speak so.",
}
EMPTY_TREE = {
    "title": "",
    "children": [PIRATE["tree"]["children"][1] | {"id": id, "title": id} for id in ("general", "tutorials")],
}  # type: ignore[index]
ROOM = (6_291_556 - 2_048) // 4 * 3 - 64


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def fill(api: HttpApi, *texts: str) -> None:
    assert api.post("append_many", {"messages": [user(text) for text in texts]}).status == 201


def tree_of(text: str) -> dict[str, Any]:
    return {"children": [{"id": "general", "children": [{"id": "persona", "content": text}]}]}
