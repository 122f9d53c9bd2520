"""JSON text from outside: text that is not JSON is refused, and values that Python would change are refused later."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messagelog import CodecError, codec, strictjson

from tests.support import strategies


def loads(text: str, max_levels: int = 250) -> Any:
    return strictjson.loads(text, max_levels=max_levels)


def with_args(text: str) -> str:
    return '{"role":"assistant","content":"","toolCalls":[{"id":"t1","name":"f","args":' + text + "}]}"


def fault(text: str) -> str:
    with pytest.raises(CodecError) as caught:
        codec.parse(loads(text))
    return caught.value.path


@given(strategies.json_values)
def test_json_text_is_read_back_exactly(value: object) -> None:
    assert repr(loads(strictjson.dumps(value))) == repr(value)


def test_text_is_compact_and_not_escaped() -> None:
    assert strictjson.dumps({"a": [1, "é漢😀"]}) == '{"a":[1,"é漢😀"]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_lacks_are_not_written(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        strictjson.dumps([value])


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"x":-Infinity}'])
def test_numbers_that_json_lacks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not JSON"):
        loads(text)


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{'a':1}", '{"a":1}}', "nul", '"\n"', "01", '"\\x"', "\ufeff1"])
def test_text_that_is_not_json_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(ValueError, match="at character"):
        loads(text)


def test_the_error_does_not_quote_the_text() -> None:
    with pytest.raises(ValueError, match="at character") as caught:
        loads('{"the-users-own-words": secret}')
    assert not {"the-users-own-words", "secret"} & set(f"{caught.value!r} {caught.value.__cause__!r}".split('"'))


def test_a_number_beyond_a_float_is_refused_at_its_path() -> None:
    assert fault(with_args('{"x":1e999}')) == "toolCalls[0].args.x"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"role":"user","role":"user","content":"hi"}', "role"),
        ('{"role":"user","content":"hi","content":"hi"}', "content"),
        ('{"role":"user","content":{"a":1,"a":2}}', "content.a"),
        ('{"role":"user","content":"hi","toolCalls":{"a":1,"a":2}}', "toolCalls.a"),
        ('{"role":{"b":1,"b":1},"content":"hi"}', "role.b"),
        ('{"role":"user","content":"hi","toolCalls":[{"id":"t","name":"f","args":1,"id":"t"}]}', "toolCalls[0].id"),
        (with_args('{"a":1,"b":2,"a":1}'), "toolCalls[0].args.a"),
        (with_args('[{"x":{"a b":1,"a b":1}}]'), 'toolCalls[0].args[0].x["a b"]'),
        (with_args('{"a":1,"\\u0061":1}'), "toolCalls[0].args.a"),
    ],
)
def test_a_duplicate_key_is_refused_with_any_value(text: str, path: str) -> None:
    assert fault(text) == path


def test_equal_keys_in_different_objects_are_not_duplicates() -> None:
    assert codec.parse(loads(with_args('[{"a":1},{"a":{"a":2}}]'))).tool_calls[0].args == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("sign", ["", "-"])
def test_4300_digits_are_read_and_one_more_is_refused(sign: str) -> None:
    longest = sign + "9" * 4300
    assert codec.parse(loads(with_args(longest))).tool_calls[0].args == int(longest)
    assert fault(with_args(f'{{"n":{longest}0}}')) == "toolCalls[0].args.n"


def test_a_lone_surrogate_is_refused_at_its_path() -> None:
    assert fault(with_args('{"t":"\\ud800"}')) == "toolCalls[0].args.t"


@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"k":', "}")])
@pytest.mark.parametrize("levels", [1, 5, 200, 203])
def test_the_levels_are_read_and_one_more_is_refused(left: str, right: str, levels: int) -> None:
    loads(left * levels + "1" + right * levels, max_levels=levels)
    with pytest.raises(ValueError, match=f"{levels} levels"):
        loads(left * (levels + 1) + "1" + right * (levels + 1), max_levels=levels)


def test_a_text_far_too_deep_is_refused_before_parsing() -> None:
    with pytest.raises(ValueError, match="levels"):
        loads("[" * 1_000_000)


@given(st.lists(st.sampled_from(["[", "{", "]", "}", '"', "\\", "a", ","]), max_size=12).map("".join))
def test_brackets_inside_text_are_not_levels(text: str) -> None:
    brackets = 300
    value = [text + "[" * brackets, {text + "{" * brackets: text}]
    assert loads(strictjson.dumps(value), max_levels=2) == value


@given(strategies.json_values)
def test_levels_are_those_of_the_value(value: object) -> None:
    text = strictjson.dumps([value, "[" * 300])
    levels = depth([value])
    loads(text, max_levels=levels)
    with pytest.raises(ValueError, match="levels"):
        loads(text, max_levels=levels - 1)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@pytest.mark.parametrize("piece", ['"', "\\", '"\\', '\\"', '"a', '"\\\\'])
def test_hostile_text_is_scanned_once(piece: str) -> None:
    """A scan that starts again at each quote would take hours here."""
    with pytest.raises(ValueError, match=r"at character|levels"):
        loads("[" * 201 + piece * 1_000_000)
