"""The original of a message: which JSON is accepted, and with which path the rest is refused."""

from __future__ import annotations

from typing import Any

import pytest
from messagelog import AgentMessage, CodecError, Original, codec

ORIGINAL = {"api": "anthropic", "blocks": [{"type": "thinking", "thinking": "", "signature": "s"}]}
SECRET = "the-users-own-words"


def with_original(original: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "hi", "original": original}


def of_value(original: Any) -> AgentMessage:
    return AgentMessage("assistant", "hi", original=original)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def fault(message: Any) -> CodecError:
    with pytest.raises(CodecError) as caught:
        codec.parse(message)
    return caught.value


@pytest.mark.parametrize(
    ("original", "path"),
    [
        ([], ""),
        ("anthropic", ""),
        ({"blocks": []}, ".api"),
        *(
            ({**ORIGINAL, "api": wrong}, ".api")
            for wrong in (None, 1, "", "Anthropic", "1x", "-x", "a_b", "é", "a\n", "a" * 33)
        ),
        ({"api": "anthropic"}, ".blocks"),
        *(({**ORIGINAL, "blocks": wrong}, ".blocks") for wrong in (None, {}, (), "[]", 1, ({},))),
        ({**ORIGINAL, "blocks": [{"x": float("nan")}]}, ".blocks[0].x"),
        ({**ORIGINAL, "blocks": [{}, {"x": b"bytes"}]}, ".blocks[1].x"),
        ({**ORIGINAL, "blocks": [{1: 1}]}, ".blocks[0]"),
        ({**ORIGINAL, "blocks": [[10**4300]]}, ".blocks[0][0]"),
        ({**ORIGINAL, "model": 1}, ".model"),
        ({**ORIGINAL, "model": "\ud800"}, ".model"),
        ({**ORIGINAL, "id": "msg_1"}, ".id"),
    ],
)
def test_an_invalid_original_is_refused_with_the_path(original: Any, path: str) -> None:
    assert fault(with_original(original)).path == f"original{path}"


@pytest.mark.parametrize(
    ("original", "path"),
    [
        (ORIGINAL, ""),
        (Original("Anthropic", []), ".api"),
        (Original("anthropic", ()), ".blocks"),  # type: ignore[arg-type]
        (Original("anthropic", [{"x": ()}]), ".blocks[0].x"),  # type: ignore[dict-item]
        (Original("anthropic", [], 1), ".model"),  # type: ignore[arg-type]
    ],
)
def test_a_value_is_checked_like_its_json_form(original: Any, path: str) -> None:
    assert fault(of_value(original)).path == f"original{path}"


def test_json_cannot_hold_an_original_as_a_value() -> None:
    assert fault(with_original(Original("anthropic", []))).path == "original"


@pytest.mark.parametrize("api", ["anthropic", "bedrock", "gemini", "openai", "responses", "a", "a-1", "a" * 32])
def test_an_adapter_chooses_its_own_name(api: str) -> None:
    assert codec.parse(with_original({"api": api, "blocks": []})).original == Original(api, [])


def test_blocks_nest_as_deep_as_args() -> None:
    assert codec.parse(of_value(Original("x", nested(200)))).original == Original("x", nested(200))
    assert "200 levels" in fault(of_value(Original("x", nested(201)))).reason


@pytest.mark.parametrize("as_value", [False, True])
def test_the_callers_object_is_not_kept(*, as_value: bool) -> None:
    blocks: list[Any] = [{"type": "text"}]
    given = of_value(Original("x", blocks)) if as_value else with_original({"api": "x", "blocks": blocks})
    kept = codec.parse(given).original
    blocks[0].clear()
    assert kept == Original("x", [{"type": "text"}])


@pytest.mark.parametrize(
    "original",
    [
        SECRET,
        {**ORIGINAL, "api": f"{SECRET}!"},
        {**ORIGINAL, "model": f"{SECRET}\ud800"},
        {**ORIGINAL, "blocks": SECRET},
        {**ORIGINAL, "blocks": [{"signature": (SECRET,)}]},
        {**ORIGINAL, "blocks": [f"{SECRET}\ud800"]},
    ],
)
def test_an_error_has_no_content(original: Any) -> None:
    error = fault(with_original(original))
    assert SECRET not in f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
